import type { Reply, RequestBody, Row } from '#api/operations.ts'

export type ApiKey = Row<'listKeys'>

/** New budgets; null removes one, and a meter that is missing keeps its own. */
export type BudgetChanges = RequestBody<'setKeyBudget'>['budget']

/** A key with its secret, which is in this reply and nowhere else. */
export type IssuedKey = Pick<Reply<'createKey'>, 'key' | 'secret'>
