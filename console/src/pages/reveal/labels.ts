import type { Reply } from '#api/operations.ts'
import { formatCount, formatNumber } from '#lib/format.ts'

/** The fields that a quote for selected contacts and a quote for all that match share. */
export type CostQuote = Pick<
  Reply<'createQuote'>,
  | 'credits'
  | 'already_revealed'
  | 'unrevealable'
  | 'new_exports'
  | 'credits_remaining'
  | 'credits_after'
  | 'exports_remaining'
>

/** The cost of a reveal in words, such as `7 new = 7 credits`, `3 already yours`. */
export function costInWords({ credits, already_revealed, unrevealable }: CostQuote): string[] {
  return [
    `${formatNumber(credits)} new = ${formatCount(credits, 'credit')}`,
    `${formatNumber(already_revealed)} already yours`,
    ...(unrevealable > 0 ? [`${formatNumber(unrevealable)} cannot be revealed`] : []),
  ]
}

/** The credits or exports missing to reveal all of them; undefined if none are. */
export function shortageOf(quote: CostQuote): string | undefined {
  const { credits, credits_remaining, new_exports, exports_remaining } = quote
  const missingCredits = credits - credits_remaining
  const missingExports = new_exports - exports_remaining
  if (missingCredits > 0)
    return `${formatCount(missingCredits, 'credit')} ${missingCredits === 1 ? 'is' : 'are'} missing`
  if (missingExports > 0)
    return `${formatCount(missingExports, 'store export')} ${missingExports === 1 ? 'is' : 'are'} missing`
  return undefined
}
