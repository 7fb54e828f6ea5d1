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
import { hashNewPassword, setPasswordAnew } from '../passwords/set-password.ts'
import { createPerson, findPersonByEmail } from '../person.ts'
import type { RegisteredPerson } from '../queries.ts'
import { hashToken, newToken } from '../tokens.ts'

const purpose = 'sign_up'

/** What somebody wrote who has not shown yet that the address is theirs. */
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
  const person = await findPersonByEmail(db, email)
  const token = newToken()
  const content = JSON.stringify({ email, name, accountName })
  // The same work for a known address; nobody learns the token.
  await createChallenge(db, { token, purpose, personId: null, content, lifeMs: linkLifeMs.other, now })
  const letter = person ? knownAddressLetter({ publicUrl }) : signUpLetter({ publicUrl, token })
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

/** Creates the person and the account of a sign-up; null when the link is none. */
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
  return createOwner({ db, ids, now, address }, owner, async (client, person) => {
    if (!(await takeChallenge(client, { token, purpose, now }))) throw invalidLinkError()
    const publicId = ids.seal('person', person.id)
    await setPasswordAnew(client, recognised(person.id, { address, now }), {
      personId: person.id,
      publicId,
      hash,
      name: null,
    })
    return startLinkSession(client, ctx, person.id, purpose)
  })
}

/**
 * Creates a person with an account of their own on plan `free`, and runs `work` in the same transaction. Throws when
 * somebody has the address.
 */
export async function createOwner<T>(
  ctx: { db: Pool; ids: IdSealer; now: Date; address: string },
  { email, name, accountName }: SignUp,
  work: (client: Client, person: RegisteredPerson) => Promise<T>,
): Promise<T> {
  const { db, ids, now, address } = ctx
  return transact(db, async (client) => {
    const account = await openAccount(client, { name: accountName, email }, now)
    const person = await createPerson(client, { email, name, now })
    if (!person) throw invalidLinkError()
    await upsertMember(client, { accountId: account.id, personId: person.id, role: 'owner', addedAt: now })
    const target = ids.seal('account', account.id)
    const owner = recognised(person.id, { address, now })
    await recordAudit(client, owner, { accountId: account.id, action: 'account.created', target })
    return work(client, person)
  })
}
