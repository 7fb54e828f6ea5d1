import { command } from '../../../../src/customers/auth/actor.ts'
import { createSignInLink, linkLifeMs } from '../../../../src/customers/users/links/links.ts'
import type { LinkPurpose } from '../../../../src/customers/users/links/queries.ts'
import { findUserByEmail } from '../../../../src/customers/users/user.ts'
import type { TestApp } from '../../../support/app.ts'
import type { TestReply } from '../../../support/client.ts'
import { type ConsoleClient, createConsoleClient } from '../../../support/user.ts'

/** A browser that nobody is signed in with. */
export function newBrowser(app: TestApp): ConsoleClient {
  return createConsoleClient(app.url, null)
}

/** The browser after a reply that set a cookie. */
export function browserAfter(app: TestApp, reply: TestReply): ConsoleClient {
  return createConsoleClient(app.url, cookieOf(reply))
}

/** The `Cookie` header that a browser would send after this reply. */
export function cookieOf({ headers }: TestReply): string {
  const [cookie] = headers.getSetCookie()
  if (!cookie) throw new Error('the reply sets no cookie')
  return cookie.split(';')[0]!
}

/** The token of a new link for the user with this address. */
export async function newLink(app: TestApp, email: string, purpose: LinkPurpose = 'sign_in'): Promise<string> {
  const { db, ids, clock } = app.deps
  const user = (await findUserByEmail(db, email))!
  return createSignInLink(
    db,
    { actor: command, now: clock.now() },
    {
      userId: user.id,
      publicId: ids.seal('person', user.id),
      purpose,
      lifeMs: linkLifeMs.other,
    },
  )
}

/** A password that nothing objects to. */
export const goodPassword = 'umbrella lantern 42 pickle'

/** Gives somebody a password, as they would by a link. */
export async function givePassword(app: TestApp, email: string, password = goodPassword): Promise<TestReply> {
  const token = await newLink(app, email, 'set_password')
  const reply = await newBrowser(app).post('/link/password', { token, password })
  if (reply.status !== 200) throw new Error(`the password was refused: ${JSON.stringify(reply.body)}`)
  return reply
}
