// Statements for session settings: requests, such as a log level, that apply to a whole client session.

import { query } from '../engine/statement.ts'
import type { ClientSessionKey } from './read-session.ts'

const sessionExists = `exists (
     select 1 from client_sessions
     where tenant = :tenant and id = :id and principal = :principal and expires_at > :now
   )`

/** Stores a setting unless the session has reached its limit. It replaces an earlier one of the same name. */
export const keepSetting = query<
  ClientSessionKey & { setting: string; request: string; at_most: number },
  { setting: string }
>(
  'keep_session_setting',
  `insert into session_settings (tenant, session, setting, request, set_at)
   select :tenant, :id, :setting, :request, :now
   where ${sessionExists} and (
     select count(*) from session_settings where tenant = :tenant and session = :id and setting <> :setting
   ) < cast(:at_most as bigint)
   on conflict (tenant, session, setting) do update set request = excluded.request, set_at = excluded.set_at
   returning setting`,
)

export const removeSetting = query<ClientSessionKey & { setting: string }, { setting: string }>(
  'remove_session_setting',
  `delete from session_settings
   where tenant = :tenant and session = :id and setting = :setting and ${sessionExists} returning setting`,
)

export const readSettings = query<ClientSessionKey, { request: string }>(
  'read_session_settings',
  `select request from session_settings
   where tenant = :tenant and session = :id and ${sessionExists} order by set_at, setting`,
)

/** Deletes the settings of sessions that have ended. */
export const deleteSettings = query<Record<never, never>, { setting: string }>(
  'delete_session_settings',
  `delete from session_settings where not exists (
     select 1 from client_sessions
     where client_sessions.tenant = session_settings.tenant and client_sessions.id = session_settings.session
   ) returning setting`,
)
