import { isInvalidRequest, type Stripe } from './connection.ts'

/** A checkout ends by itself a day after it was made, if not sooner. */
const longestLifeSeconds = 86_400
const sessionsPerPage = 20

/**
 * Opens a checkout and closes the others of its customer, before anybody has its address. Several at once, and each of them
 * crashing anywhere, never leave two open whose addresses were handed out: whoever of two looks later sees both, and closes
 * the older one. `hasSubscription` is asked after the checkout is open, and closes it as well: should a subscription
 * begin any later, its event finds the checkout.
 */
export async function replaceCheckouts(
  stripe: Stripe,
  params: Stripe.Checkout.SessionCreateParams & { customer: string },
  hasSubscription: () => Promise<boolean>,
): Promise<Stripe.Checkout.Session> {
  const session = await createSession(stripe, params)
  const [isSubscribed, [newest, ...older]] = await Promise.all([hasSubscription(), listOpen(stripe, params.customer)])
  const superfluous = isSubscribed && newest ? [newest, ...older] : older
  await Promise.all(superfluous.map(({ id }) => expire(stripe, id)))
  return session
}

/** Closes all checkouts of a customer that can still be paid. */
export async function closeCheckouts(stripe: Stripe, customer: string): Promise<void> {
  const open = await listOpen(stripe, customer)
  await Promise.all(open.map(({ id }) => expire(stripe, id)))
}

async function createSession(
  stripe: Stripe,
  params: Stripe.Checkout.SessionCreateParams,
): Promise<Stripe.Checkout.Session> {
  try {
    return await stripe.checkout.sessions.create(params)
  } catch (error) {
    if (!isInvalidRequest(error, 'expires_at')) throw error
    // Its clock is far from ours: then it says itself how long a checkout lasts.
    const { expires_at: _, ...others } = params
    return stripe.checkout.sessions.create(others)
  }
}

/**
 * Those that lead to a subscription, the newest first. Which are open is seen here: older versions of the API cannot be
 * asked for them.
 */
async function listOpen(stripe: Stripe, customer: string): Promise<Stripe.Checkout.Session[]> {
  const open: Stripe.Checkout.Session[] = []
  let newestSeconds: number | undefined
  for await (const session of stripe.checkout.sessions.list({ customer, limit: sessionsPerPage })) {
    newestSeconds ??= session.created
    if (session.created < newestSeconds - longestLifeSeconds) break
    if (session.status === 'open' && session.mode === 'subscription') open.push(session)
  }
  return open
}

async function expire(stripe: Stripe, id: string): Promise<void> {
  try {
    await stripe.checkout.sessions.expire(id)
  } catch (error) {
    if (!isInvalidRequest(error)) throw error
    // It may have been paid, or closed by others, since it was listed.
    const { status } = await stripe.checkout.sessions.retrieve(id)
    if (status === 'open') throw error
  }
}
