import type { IdSealer, Mode } from '../../foundation/kernel/ids.ts'
import type { Signer } from '../../foundation/kernel/signer.ts'
import { clockToleranceMs } from '../../foundation/kernel/time.ts'
import { consoleBillingPath } from './key-refusals.ts'

/** The page on which a user ends a trial, and the page that sandbox links lead to instead. */
export const trialPagePath = '/billing/trial'
const testPagePath = '/billing/test'

const purpose = 'trial page of a key'
const lifeMs = 3_600_000

type OpenedTrialToken = { keyId: number } | 'expired' | 'unknown'

/**
 * Links to the trial page. A link belongs to the key that requested it, and the page reads that key again each time. Links
 * last an hour, are never renewed and never logged.
 */
export interface TrialLinks {
  urlFor(caller: { key: { id: number } | null; mode: Mode }, now: Date): string
  /** The link with an existing token, which expires when the token does. */
  urlOf(token: string): string
  open(token: string, now: Date): OpenedTrialToken
}

/** A token is the key's public id and its expiry, signed: it reveals nothing to its holder. */
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
      // A user is signed in; the console's page decides again what they may do.
      if (key === null) return publicUrl + consoleBillingPath
      const text = `${ids.seal('key', key.id)}.${Math.floor((now.getTime() + lifeMs) / 1000)}`
      return urlOf(`${text}.${signer.sign(purpose, text)}`)
    },
    open(token, now) {
      const [, text, keyId, expiry, signature] = /^((key_\w{1,40})\.(\d{1,12}))\.([\w-]{43})$/.exec(token) ?? []
      if (!text || !signer.verify(purpose, text, signature!)) return 'unknown'
      const opened = ids.open(keyId!)
      if (opened?.kind !== 'key') return 'unknown'
      const leftMs = Number(expiry) * 1000 - now.getTime()
      // A token that would outlast a new one was made by a clock that ran ahead; it must not stay valid for days.
      return leftMs > 0 && leftMs <= lifeMs + clockToleranceMs ? { keyId: opened.value } : 'expired'
    },
  }
}
