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
 * Mails a user that there is something new to sign in with as them, so that they notice what is not theirs. Call it
 * after the commit.
 */
export function noticeNewCredential({ outbox, ...ctx }: NoticeContext, email: string, credential: NewCredential): void {
  outbox?.send(async () => ({ to: email, ...noticeLetter({ ...ctx, credential }) }))
}
