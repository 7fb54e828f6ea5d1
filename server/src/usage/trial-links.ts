import type { Caller } from '../auth/caller.ts'
import type { IdSealer } from '../kernel/ids.ts'
import type { Signer } from '../kernel/signer.ts'

/** Where a person ends a trial, and where links of the sandbox lead, which has none to end. */
export const trialPagePath = '/billing/trial'
const testPagePath = '/billing/test'

const purpose = 'trial page'
const lifeMs = 3_600_000

/** What a link's token stands for. */
type OpenedTrialToken = { accountId: number } | 'expired' | 'unknown'

/** Links to the page on which a trial is ended. Whoever has one can do so: they are short-lived, and never logged. */
export interface TrialLinks {
  urlFor(caller: Pick<Caller, 'accountId' | 'mode'>, now: Date): string
  open(token: string, now: Date): OpenedTrialToken
}

/** A token is the account's public id and when it expires, signed: it tells nothing that its holder does not know. */
export function createTrialLinks({
  ids,
  signer,
  publicUrl,
}: {
  ids: IdSealer
  signer: Signer
  publicUrl: string
}): TrialLinks {
  return {
    urlFor({ accountId, mode }, now) {
      if (mode === 'test') return publicUrl + testPagePath
      const text = `${ids.seal('account', accountId)}.${Math.floor((now.getTime() + lifeMs) / 1000)}`
      return `${publicUrl}${trialPagePath}?token=${text}.${signer.sign(purpose, text)}`
    },
    open(token, now) {
      const [, text, accountId, expiry, signature] = /^((acct_\w{1,40})\.(\d{1,12}))\.([\w-]{43})$/.exec(token) ?? []
      if (!text || !signer.isSigned(purpose, text, signature!)) return 'unknown'
      const opened = ids.open(accountId!)
      if (opened?.kind !== 'account') return 'unknown'
      return Number(expiry) * 1000 > now.getTime() ? { accountId: opened.value } : 'expired'
    },
  }
}
