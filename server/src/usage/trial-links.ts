import type { Caller } from '../auth/caller.ts'
import type { IdSealer } from '../kernel/ids.ts'
import type { Signer } from '../kernel/signer.ts'
import { clockToleranceMs } from '../kernel/time.ts'

/** Where a person ends a trial, and where links of the sandbox lead, which has none to end. */
export const trialPagePath = '/billing/trial'
const testPagePath = '/billing/test'

const purpose = 'trial page of a key'
const lifeMs = 3_600_000

/** What a link's token stands for: the key that it was made for. */
type OpenedTrialToken = { keyId: number } | 'expired' | 'unknown'

/**
 * Links to the page on which a trial is ended. A link belongs to the key that asked for it: the page reads that key again
 * each time. Links are short-lived, never renewed and never logged.
 */
export interface TrialLinks {
  urlFor(caller: { key: Pick<Caller['key'], 'id'>; mode: Caller['mode'] }, now: Date): string
  /** The page of a token that exists, with the end that the token has. */
  urlOf(token: string): string
  open(token: string, now: Date): OpenedTrialToken
}

/** A token is the key's public id and when it expires, signed: it tells nothing that its holder does not know. */
export function createTrialLinks({
  ids,
  signer,
  publicUrl,
}: {
  ids: IdSealer
  signer: Signer
  publicUrl: string
}): TrialLinks {
  const urlOf = (token: string) => `${publicUrl}${trialPagePath}?token=${token}`
  return {
    urlOf,
    urlFor({ key, mode }, now) {
      if (mode === 'test') return publicUrl + testPagePath
      const text = `${ids.seal('key', key.id)}.${Math.floor((now.getTime() + lifeMs) / 1000)}`
      return urlOf(`${text}.${signer.sign(purpose, text)}`)
    },
    open(token, now) {
      const [, text, keyId, expiry, signature] = /^((key_\w{1,40})\.(\d{1,12}))\.([\w-]{43})$/.exec(token) ?? []
      if (!text || !signer.verify(purpose, text, signature!)) return 'unknown'
      const opened = ids.open(keyId!)
      if (opened?.kind !== 'key') return 'unknown'
      const leftMs = Number(expiry) * 1000 - now.getTime()
      // One that would last longer than a link made now was made while a clock ran ahead; it must not last for days.
      return leftMs > 0 && leftMs <= lifeMs + clockToleranceMs ? { keyId: opened.value } : 'expired'
    },
  }
}
