import { pageQuery } from '#api/query.ts'

const freshForMs = 10_000

/** What it would cost to reveal these people now. Asking is free. */
export const quoteQuery = (account: string, ids: readonly string[]) => ({
  ...pageQuery('quoteReveal', { account, body: { contact_ids: [...ids].sort() } }),
  staleTime: freshForMs,
})
