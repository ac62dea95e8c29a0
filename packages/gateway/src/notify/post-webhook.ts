// One request to a webhook. Redirects are not followed, and the body of the response is not read.

import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import type { SendResult } from './channel.ts'
import { notifyLimits } from './limits.ts'
import type { OutboundGuard } from './outbound-guard.ts'

export interface WebhookRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface PostOptions {
  readonly guard: OutboundGuard
  readonly signal: AbortSignal
  readonly timeoutMs?: number
  /** Certificates of authorities besides those that the system trusts; for tests. */
  readonly ca?: string
}

const gone = 410

export async function postWebhook(
  { url, headers, body }: WebhookRequest,
  { guard, signal, timeoutMs = notifyLimits.webhookMs, ca }: PostOptions,
): Promise<SendResult> {
  const hasTls = url.protocol === 'https:'
  const send = hasTls ? requestTls : requestPlain
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    guard.checkHost(url)
    const { status, retryAfter } = await new Promise<{ status: number; retryAfter: string | undefined }>(
      (resolve, reject) => {
        const request = send(url, {
          method: 'POST',
          headers: { 'content-length': String(Buffer.byteLength(body)), 'user-agent': 'assent', ...headers },
          // A connection of its own: the address is checked for every message.
          agent: false,
          lookup: guard.lookup(hasTls),
          signal: AbortSignal.any([signal, timeout]),
          ...(ca === undefined ? {} : { ca }),
        })
        request.once('error', reject)
        request.once('response', (response) => {
          resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] })
          // Unread: whatever it contains, nothing depends on it.
          response.on('error', () => undefined).destroy()
        })
        request.end(body)
      },
    )
    return resultOf(status, retryAfter)
  } catch (error) {
    return { ok: false, reason: reasonOfFailure(error, timeout) }
  }
}

function resultOf(status: number, retryAfter: string | undefined): SendResult {
  if (status >= 200 && status < 300) return { ok: true }
  const retryAfterMs = retryAfter === undefined ? undefined : pauseIn(retryAfter)
  return {
    ok: false,
    reason: status >= 300 && status < 400 ? `status ${status}: redirects are not followed` : `status ${status}`,
    ...(status === gone ? { isFinal: true as const } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** Of `Retry-After`: seconds, or a date. */
function pauseIn(text: string): number | undefined {
  const pauseMs = /^[0-9]{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now()
  return Number.isFinite(pauseMs) && pauseMs > 0 ? pauseMs : undefined
}

/** The code of the error only: its message may contain the address. */
function reasonOfFailure(error: unknown, timeout: AbortSignal): string {
  if (timeout.aborted) return 'timeout'
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  return code === 'ERR_ADDRESS_REFUSED' ? 'address refused: it is private or not encrypted' : (code ?? 'failed')
}
