import type { Pool } from '../../db/pool.ts'
import { transact } from '../../db/pool.ts'
import type { IdSealer } from '../../kernel/ids.ts'
import { passwordLetter } from '../letters.ts'
import { createSignInLink, linkLifeMs } from '../links/links.ts'
import type { Mail } from '../mail.ts'
import { findPersonByEmail } from '../person.ts'

interface PasswordMailContext {
  db: Pool
  ids: IdSealer
  now: Date
  /** The network address of the browser. */
  address: string
  publicUrl: string
}

/**
 * Makes a link for a new password, and the mail with it; null for an unknown address. Call it after the reply, so that
 * the time of the answer tells nothing.
 */
export async function writePasswordMail(ctx: PasswordMailContext, email: string): Promise<Mail | null> {
  const { db, ids, now, address, publicUrl } = ctx
  const person = await findPersonByEmail(db, email)
  if (!person) return null
  const token = await transact(db, (client) =>
    createSignInLink(client, {
      personId: person.id,
      publicId: ids.seal('person', person.id),
      purpose: 'set_password',
      lifeMs: linkLifeMs.other,
      now,
      by: { personId: null, address },
    }),
  )
  return { to: person.email, ...passwordLetter({ publicUrl, token }) }
}
