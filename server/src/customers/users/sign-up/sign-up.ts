import { type Client, type Pool, type Queryable, transact } from '../../../foundation/db/pool.ts'
import type { IdSealer } from '../../../foundation/kernel/ids.ts'
import { requireUserAddress } from '../../../foundation/kernel/mail/user-address.ts'
import type { Signer } from '../../../foundation/kernel/signer.ts'
import { openAccount } from '../../accounts/open-account.ts'
import { recognised } from '../../auth/actor.ts'
import { recordAudit } from '../../auth/audit.ts'
import { type CountedAttempt, takeAttempt } from '../attempts.ts'
import { createChallenge, takeChallenge } from '../challenges/challenges.ts'
import { selectChallenge } from '../challenges/queries.ts'
import { knownAddressLetter, signUpLetter } from '../letters.ts'
import { type LinkContext, type OpenedLink, startLinkSession } from '../links/link-context.ts'
import { invalidLinkError, linkLifeMs } from '../links/links.ts'
import type { Mail } from '../mail.ts'
import { upsertMember } from '../members/queries.ts'
import { hashNewPassword, replacePassword } from '../passwords/set-password.ts'
import type { RegisteredUser } from '../queries.ts'
import { hashToken, newToken } from '../tokens.ts'
import { createUser, findUserByEmail } from '../user.ts'

const purpose = 'sign_up'

/** The sign-up form; its address is not confirmed yet. */
interface SignUp {
  email: string
  name: string
  accountName: string
}

interface SignUpContext {
  db: Queryable
  signer: Signer
  now: Date
  /** The network address of the browser. */
  address: string
  publicUrl: string
}

/**
 * Stores a sign-up and returns the mail to send, which differs for a known address: the answer must not. The attempt is to
 * be taken back if the mail cannot be sent.
 */
export async function requestSignUp(
  ctx: SignUpContext,
  { name, accountName, ...given }: SignUp,
): Promise<{ mail: Mail; attempt: CountedAttempt }> {
  const { db, now, address, publicUrl } = ctx
  const email = requireUserAddress(given.email)
  const attempt = await takeAttempt(ctx, 'sign_up', { address, email })
  const user = await findUserByEmail(db, email)
  const token = newToken()
  const content = JSON.stringify({ email, name, accountName })
  // The same work for a known address; its token is discarded.
  await createChallenge(db, { token, purpose, userId: null, content, lifeMs: linkLifeMs.other, now })
  const letter = user ? knownAddressLetter({ publicUrl }) : signUpLetter({ publicUrl, token })
  return { mail: { to: email, ...letter }, attempt }
}

/** Opens the link of a sign-up; null when it is none. */
export async function openSignUp({ db, now }: LinkContext, token: string): Promise<OpenedLink | null> {
  const challenge = await selectChallenge(db, { id: hashToken(token), purpose, now })
  if (!challenge) return null
  const { email, name, accountName } = JSON.parse(challenge.content) as SignUp
  const account = { name: accountName, role: 'owner' as const }
  return { purpose, email, name, account, needsName: false, needsSignIn: false, sessionToken: null }
}

/** Creates the user and the account of a sign-up; null when the link is none. */
export async function completeSignUp(
  ctx: LinkContext,
  { token, password, name }: { token: string; password: string; name: string | null },
): Promise<OpenedLink | null> {
  const { db, ids, now, browser } = ctx
  const challenge = await selectChallenge(db, { id: hashToken(token), purpose, now })
  if (!challenge) return null
  const signUp = JSON.parse(challenge.content) as SignUp
  const owner = { ...signUp, name: name ?? signUp.name }
  const { address } = browser
  const hash = await hashNewPassword(password, { ...owner, address })
  return createOwner({ db, ids, now, address }, owner, async (client, user) => {
    if (!(await takeChallenge(client, { token, purpose, now }))) throw invalidLinkError()
    const publicId = ids.seal('person', user.id)
    await replacePassword(client, recognised(user.id, { address, now }), {
      userId: user.id,
      publicId,
      hash,
      name: null,
    })
    return startLinkSession(client, ctx, user.id, purpose)
  })
}

/**
 * Creates a user with an account of their own on plan `free`, and runs `work` in the same transaction. Throws when
 * the address is taken.
 */
export async function createOwner<T>(
  ctx: { db: Pool; ids: IdSealer; now: Date; address: string },
  { email, name, accountName }: SignUp,
  work: (client: Client, user: RegisteredUser) => Promise<T>,
): Promise<T> {
  const { db, ids, now, address } = ctx
  return transact(db, async (client) => {
    const account = await openAccount(client, { name: accountName, email }, now)
    const user = await createUser(client, { email, name, now })
    if (!user) throw invalidLinkError()
    await upsertMember(client, { accountId: account.id, userId: user.id, role: 'owner', addedAt: now })
    const target = ids.seal('account', account.id)
    const owner = recognised(user.id, { address, now })
    await recordAudit(client, owner, { accountId: account.id, action: 'account.created', target })
    return work(client, user)
  })
}
