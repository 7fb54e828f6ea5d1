import type { Pool } from '../../../foundation/db/pool.ts'
import { transact } from '../../../foundation/db/pool.ts'
import type { IdSealer } from '../../../foundation/kernel/ids.ts'
import type { ActorContext } from '../../auth/actor.ts'
import { passwordLetter } from '../letters.ts'
import { createSignInLink, linkLifeMs } from '../links/links.ts'
import type { Mail } from '../mail.ts'
import { findUserByEmail } from '../user.ts'

interface PasswordMailContext extends ActorContext {
  db: Pool
  ids: IdSealer
  publicUrl: string
}

/**
 * Makes a link for a new password, and the mail with it; null for an unknown address. Call it after the reply, so that
 * the time of the answer tells nothing.
 */
export async function writePasswordMail(ctx: PasswordMailContext, email: string): Promise<Mail | null> {
  const { db, ids, publicUrl } = ctx
  const user = await findUserByEmail(db, email)
  if (!user) return null
  const token = await transact(db, (client) =>
    createSignInLink(client, ctx, {
      userId: user.id,
      publicId: ids.seal('person', user.id),
      purpose: 'set_password',
      lifeMs: linkLifeMs.other,
    }),
  )
  return { to: user.email, ...passwordLetter({ publicUrl, token }) }
}
