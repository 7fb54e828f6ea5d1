import { noticeLetter } from '../letters.ts'
import type { Outbox } from '../outbox.ts'

/** The new credential. */
export type NewCredential = 'password' | 'passkey' | 'provider'

interface NoticeContext {
  publicUrl: string
  now: Date
  /** Null where no mail is set up. */
  outbox: Outbox | null
}

/**
 * Mails a user about a new credential of theirs, so that they notice one that they did not create. Call it after the
 * commit.
 */
export function noticeNewCredential({ outbox, ...ctx }: NoticeContext, email: string, credential: NewCredential): void {
  outbox?.send(async () => ({ to: email, ...noticeLetter({ ...ctx, credential }) }))
}
