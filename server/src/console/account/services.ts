import type { BillingProvider } from '../../billing/provider.ts'
import type { CursorSealer } from '../../kernel/cursor.ts'
import type { IdSealer } from '../../kernel/ids.ts'
import type { Signer } from '../../kernel/signer.ts'
import type { Outbox } from '../../people/outbox.ts'

export interface AccountConsoleServices {
  ids: IdSealer
  signer: Signer
  cursors: CursorSealer
  billing: BillingProvider
  publicUrl: string
  /** Null where no mail is set up. */
  outbox: Outbox | null
}
