import { transact } from '../../../foundation/db/pool.ts'
import type { Signer } from '../../../foundation/kernel/signer.ts'
import { type Access, authorize } from '../../auth/access.ts'
import { recordAudit } from '../../auth/audit.ts'
import type { UserContext } from '../../auth/signed-in.ts'
import { takeAttempt } from '../attempts.ts'
import { noticeNewCredential } from '../credentials/notices.ts'
import type { Outbox } from '../outbox.ts'
import { changeOwnPassword, hashNewPassword } from '../passwords/set-password.ts'
import { updateUserName } from '../queries.ts'

export const changeProfile: Access = { person: true, kind: 'edit' }
export const changeCredentials: Access = { person: true, kind: 'powerful' }

export async function renameUser(ctx: UserContext, { name }: { name: string }): Promise<void> {
  authorize(ctx, changeProfile)
  await transact(ctx.db, async (client) => {
    await updateUserName(client, ctx.user.id, name.trim())
    await recordAudit(client, ctx, { accountId: null, action: 'person.renamed', target: ctx.user.publicId })
  })
}

interface PasswordContext extends UserContext {
  signer: Signer
  publicUrl: string
  /** Null where no mail is set up. */
  outbox: Outbox | null
}

/** Sets a new password, which ends all other sessions of the user and the links that were made for them. */
export async function changePassword(ctx: PasswordContext, { password }: { password: string }): Promise<void> {
  authorize(ctx, changeCredentials)
  const { user, session, address } = ctx
  ctx.outbox?.requireRoom()
  const attempt = await takeAttempt(ctx, 'password_change', { email: user.email })
  try {
    const hash = await hashNewPassword(password, { ...user, address })
    const { id: userId, publicId } = user
    await transact(ctx.db, (client) =>
      changeOwnPassword(client, ctx, { userId, publicId, hash, sessionId: session.id }),
    )
  } catch (error) {
    // What changed nothing does not count: a weak password, a busy service.
    await attempt.undo(ctx.db)
    throw error
  }
  noticeNewCredential(ctx, user.email, 'password')
}
