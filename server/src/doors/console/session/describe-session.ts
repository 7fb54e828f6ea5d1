import { isIP } from 'node:net'
import manifest from '../../../../package.json' with { type: 'json' }
import { entitlementAt } from '../../../customers/accounts/account.ts'
import { accountOf } from '../../../customers/accounts/queries.ts'
import type { UserContext } from '../../../customers/auth/signed-in.ts'
import { type PasskeySite, passkeySiteOf } from '../../../customers/users/passkeys/passkeys.ts'
import { hasOperator, selectSettings } from '../../../customers/users/queries.ts'
import { selectVisibleAccounts } from '../../../customers/users/sessions/queries.ts'
import type { Queryable } from '../../../foundation/db/pool.ts'
import type { ConsoleServices } from '../services.ts'
import type { SessionReply, SignInOptionsReply } from './schema.ts'

/** Describes the user who is signed in, what they may open, and what this installation can do. */
export async function describeSession(ctx: UserContext, services: ConsoleServices): Promise<SessionReply> {
  const { db, now, user, session, requestId } = ctx
  const { ids, plans } = services
  const visible = await selectVisibleAccounts(db, user.id, user.isOperator ? session.seeAsAccountId : null)
  const seen = user.isOperator ? visible.find(({ id }) => id === session.seeAsAccountId) : undefined
  return {
    object: 'session',
    person: { id: user.publicId, email: user.email, name: user.name, operator: user.isOperator },
    accounts: visible.flatMap((row) => {
      if (row.role === null) return []
      const { plan, planName, status, accessOpen } = entitlementAt(accountOf(row), plans, now)
      return [
        {
          id: ids.seal('account', row.id),
          name: row.name,
          role: row.role,
          api_access: accessOpen,
          plan: { slug: plan, name: planName, status },
        },
      ]
    }),
    see_as: seen ? { account: { id: ids.seal('account', seen.id), name: seen.name } } : null,
    signed_in_at: session.signedInAt.toISOString(),
    settings: await selectSettings(db, user.id),
    features: featuresOf(services),
    version: manifest.version,
    request_id: requestId,
  }
}

export async function describeSignInOptions(
  ctx: { db: Queryable; requestId: string; hostname: string; localPort: number | undefined },
  services: ConsoleServices,
): Promise<SignInOptionsReply> {
  return {
    object: 'sign_in_options',
    ...featuresOf(services),
    passkeys: isPasskeySite(ctx.hostname, passkeySiteOf(services.publicUrl, ctx.localPort)),
    privacy_contact: services.config.users.privacyContact,
    first_operator_missing: !(await hasOperator(ctx.db)),
    request_id: ctx.requestId,
  }
}

/** Whether a browser at this host could use a passkey: to offer them, and for nothing else. */
function isPasskeySite(hostname: string, { rpId }: PasskeySite): boolean {
  return isIP(rpId.replace(/^\[|\]$/g, '')) === 0 && hostname.toLowerCase() === rpId
}

function featuresOf({ config: { users } }: ConsoleServices): SessionReply['features'] {
  return {
    mail: users.mail !== null,
    oidc: users.openid && { name: users.openid.name },
    signup: users.signup === 'open',
  }
}
