import { isInvalidRequest, type Stripe } from './connection.ts'

/** Stripe expires a checkout after a day at the latest. */
const maxLifetimeSeconds = 86_400
const sessionsPerPage = 20

/**
 * Creates a checkout and closes the customer's other ones before returning its URL. Of concurrent calls the one that lists
 * later sees both checkouts and closes the older, so two returned URLs are never open together, even after a crash.
 * `hasSubscription` runs after the creation; if true, the new checkout is closed too. A subscription that starts later is
 * handled by its event, which closes open checkouts.
 */
export async function replaceCheckouts(
  stripe: Stripe,
  params: Stripe.Checkout.SessionCreateParams & { customer: string },
  hasSubscription: () => Promise<boolean>,
): Promise<Stripe.Checkout.Session> {
  const session = await createSession(stripe, params)
  const [isSubscribed, [newest, ...older]] = await Promise.all([hasSubscription(), listOpen(stripe, params.customer)])
  const toClose = isSubscribed && newest ? [newest, ...older] : older
  await Promise.all(toClose.map(({ id }) => expire(stripe, id)))
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
    // Stripe's clock is far from ours: let Stripe choose the expiry.
    const { expires_at: _, ...others } = params
    return stripe.checkout.sessions.create(others)
  }
}

/** Open subscription checkouts, newest first. Filtered here, because older API versions cannot filter by status. */
async function listOpen(stripe: Stripe, customer: string): Promise<Stripe.Checkout.Session[]> {
  const open: Stripe.Checkout.Session[] = []
  let newestSeconds: number | undefined
  for await (const session of stripe.checkout.sessions.list({ customer, limit: sessionsPerPage })) {
    newestSeconds ??= session.created
    if (session.created < newestSeconds - maxLifetimeSeconds) break
    if (session.status === 'open' && session.mode === 'subscription') open.push(session)
  }
  return open
}

async function expire(stripe: Stripe, id: string): Promise<void> {
  try {
    await stripe.checkout.sessions.expire(id)
  } catch (error) {
    if (!isInvalidRequest(error)) throw error
    // It may have been paid or closed since it was listed.
    const { status } = await stripe.checkout.sessions.retrieve(id)
    if (status === 'open') throw error
  }
}
