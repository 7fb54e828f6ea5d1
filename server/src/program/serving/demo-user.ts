import { selectAccountByEmail } from '../../customers/accounts/queries.ts'
import { command } from '../../customers/auth/actor.ts'
import { createSignInLink, linkLifeMs, linkUrl } from '../../customers/users/links/links.ts'
import { upsertMember } from '../../customers/users/members/queries.ts'
import { createUser, findUserByEmail } from '../../customers/users/user.ts'
import { ensureInstallationValue, readInstallationValue } from '../../foundation/db/installation.ts'
import { transact } from '../../foundation/db/pool.ts'
import type { Deps } from '../../operations/deps.ts'

/** The address of the demonstration's account and of its person. */
export const demoEmail = 'demonstration@storedex.example'

const marker = 'demonstration_person'

/**
 * Creates the demonstration's person, once in the life of an installation: the owner of its account, and an operator.
 * A removed user stays removed.
 */
export async function ensureDemoUser(deps: Deps): Promise<void> {
  if (await readInstallationValue(deps.db, marker)) return
  const now = deps.clock.now()
  await transact(deps.db, async (client) => {
    const account = await selectAccountByEmail(client, demoEmail)
    const user = await createUser(client, { email: demoEmail, name: 'Demonstration', operator: true, now })
    if (account && user)
      await upsertMember(client, { accountId: account.id, userId: user.id, role: 'owner', addedAt: now })
    await ensureInstallationValue(client, marker, Buffer.from(now.toISOString()))
  })
}

/**
 * Makes a link that opens the console as the demonstration's person, once and within an hour. Null if a user has
 * removed the person or their mark: that decision stands.
 */
export async function createDemoLink({ db, ids, clock }: Deps, publicUrl: string): Promise<string | null> {
  const user = await findUserByEmail(db, demoEmail)
  if (!user?.operator) return null
  const token = await transact(db, (client) =>
    createSignInLink(
      client,
      { actor: command, now: clock.now() },
      {
        userId: user.id,
        publicId: ids.seal('person', user.id),
        purpose: 'sign_in',
        lifeMs: linkLifeMs.other,
      },
    ),
  )
  return linkUrl(publicUrl, token)
}
