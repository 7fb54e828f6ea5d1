import type { PlanFile } from '../accounts/plans.ts'
import type { CallerContext } from '../auth/caller.ts'
import type { CursorSealer } from '../kernel/cursor.ts'
import type { IdSealer } from '../kernel/ids.ts'
import type { Vocabulary } from '../search/vocabulary.ts'
import type { DeliveryBalance } from '../usage/charge.ts'

export interface StoresContext extends CallerContext {
  ids: IdSealer
  cursors: CursorSealer
  vocabulary: Vocabulary
  searchBounds: PlanFile['search']
}

/** A reply's body, already serialised, with what is left of the meters it was paid from. */
export interface PaidReply {
  body: string
  balance: DeliveryBalance
}
