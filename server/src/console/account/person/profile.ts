import { transact } from '../../../db/pool.ts'
import { hashNewPassword, setPassword } from '../../../people/passwords/set-password.ts'
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

/** Sets a new password, which ends all other sessions of the person and the links that were made for them. */
export async function changePassword(ctx: OwnContext, { password }: { password: string }): Promise<AccountDoneReply> {
  const { person, session, address, now } = ctx
  const hash = await hashNewPassword(password, person)
  await transact(ctx.db, (client) =>
    setPassword(client, {
      personId: person.id,
      publicId: person.publicId,
      hash,
      name: null,
      keptSessionId: session.id,
      address,
      now,
    }),
  )
  return { object: 'done', request_id: ctx.requestId }
}
