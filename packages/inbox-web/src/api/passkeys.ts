// The person's passkeys: the list, adding, removing, and signing an answer.

import type {
  AnswerBody,
  InboxProblem,
  JsonObject,
  PasskeyAddBody,
  PasskeyAddStartView,
  PasskeyAuthoriseBody,
  PasskeyAuthoriseView,
  PasskeyRemoveStartView,
  PasskeysView,
  PresenceBody,
  PresenceStartView,
} from '@assent/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { get, post, problemOf } from './client.ts'
import { type Prompted, promptForNewPasskey, promptForPasskey } from './passkey-prompt.ts'

const passkeysKey = ['passkeys'] as const
/** How often the list is read again: a change on another device is shown on every page. */
const refetchMs = 60_000

export function usePasskeys(isSignedIn: boolean) {
  return useQuery({
    queryKey: passkeysKey,
    queryFn: () => get<PasskeysView>('/api/passkeys'),
    enabled: isSignedIn,
    refetchInterval: refetchMs,
  })
}

/** Each returns the problem, `left` if the person closed a prompt, or undefined. */
export function usePasskeyChanges() {
  const queries = useQueryClient()
  const show = (view: PasskeysView) => {
    queries.setQueryData(passkeysKey, view)
    void queries.invalidateQueries({ queryKey: ['asks'] })
  }
  return {
    add: (name: string) => unlessRefused(() => addPasskey(name), show),
    remove: (id: string) => unlessRefused(() => removePasskey(id), show),
  }
}

/** Asks for the passkey that accepts this ask with exactly this answer. */
export async function signAnswer(
  askId: string,
  answer: AnswerBody['answer'],
  confirmed: boolean,
): Promise<Prompted<PresenceBody>> {
  try {
    const { token, request } = await post<PresenceStartView>(`/api/asks/${askId}/presence`, { answer, confirmed })
    const signed = await promptForPasskey(request)
    return signed.ok ? { ok: true, value: { token, response: signed.value } } : signed
  } catch (error) {
    return { ok: false, problem: problemOf(error) }
  }
}

async function addPasskey(name: string): Promise<Prompted<PasskeysView>> {
  const { token, creation, needsAuthorisation } = await post<PasskeyAddStartView>('/api/passkeys/start', {})
  const created = await promptForNewPasskey(creation)
  if (!created.ok) return created
  const added = { token, name, credential: created.value }
  // After the new key exists: the signature of the existing one covers it.
  const authorised = needsAuthorisation === true ? await authorisePasskey(added) : undefined
  if (authorised?.ok === false) return authorised
  const body: PasskeyAddBody = {
    ...added,
    ...(authorised === undefined ? {} : { authorisation: authorised.value }),
  }
  return { ok: true, value: await post<PasskeysView>('/api/passkeys', body) }
}

async function authorisePasskey(added: PasskeyAuthoriseBody): Promise<Prompted<JsonObject>> {
  const { request } = await post<PasskeyAuthoriseView>('/api/passkeys/authorise', added)
  return promptForPasskey(request)
}

async function removePasskey(id: string): Promise<Prompted<PasskeysView>> {
  const { token, request } = await post<PasskeyRemoveStartView>(`/api/passkeys/${id}/remove/start`, {})
  const signed = await promptForPasskey(request)
  if (!signed.ok) return signed
  return { ok: true, value: await post<PasskeysView>(`/api/passkeys/${id}/remove`, { token, response: signed.value }) }
}

async function unlessRefused(
  change: () => Promise<Prompted<PasskeysView>>,
  show: (view: PasskeysView) => void,
): Promise<InboxProblem | 'left' | undefined> {
  try {
    const changed = await change()
    if (!changed.ok) return changed.problem
    show(changed.value)
    return undefined
  } catch (error) {
    return problemOf(error)
  }
}
