import { transact } from '../../../db/pool.ts'
import type { Signer } from '../../../kernel/signer.ts'
import { takeAttempt } from '../../../people/attempts.ts'
import { noticeNewCredential } from '../../../people/credentials/notices.ts'
import type { Outbox } from '../../../people/outbox.ts'
import { changeOwnPassword, hashNewPassword } from '../../../people/passwords/set-password.ts'
import { type OwnContext, recordOwnChange } from '../context.ts'
import type { AccountDoneReply } from '../schema.ts'
import { updatePersonName } from './session-queries.ts'

export async function renamePerson(ctx: OwnContext, { name }: { name: string }): Promise<AccountDoneReply> {
  await transact(ctx.db, async (client) => {
    await updatePersonName(client, ctx.person.id, name.trim())
    await recordOwnChange(client, ctx, { action: 'person.renamed', target: ctx.person.publicId })
  })
  return { object: 'done', request_id: ctx.requestId }
}

interface PasswordContext extends OwnContext {
  signer: Signer
  publicUrl: string
  /** Null where no mail is set up. */
  outbox: Outbox | null
}

/** Sets a new password, which ends all other sessions of the person and the links that were made for them. */
export async function changePassword(
  ctx: PasswordContext,
  { password }: { password: string },
): Promise<AccountDoneReply> {
  const { person, session, address, now } = ctx
  ctx.outbox?.requireRoom()
  const attempt = await takeAttempt(ctx, 'password_change', { email: person.email })
  try {
    const hash = await hashNewPassword(password, { ...person, address })
    const { id: personId, publicId } = person
    await transact(ctx.db, (client) =>
      changeOwnPassword(client, { personId, publicId, hash, sessionId: session.id, address, now }),
    )
  } catch (error) {
    // What changed nothing does not count: a weak password, a busy service.
    await attempt.undo(ctx.db)
    throw error
  }
  noticeNewCredential(ctx, person.email, 'password')
  return { object: 'done', request_id: ctx.requestId }
}
