/** A checkout of the fake provider. */
export interface FakeCheckout {
  id: string
  customer: string
  created: number
  mode: 'subscription' | 'payment'
  status: 'open' | 'complete' | 'expired'
  /** The status that the list tells, where that is older. */
  listed?: 'open'
  /** Whether it cannot be expired, though it is open. */
  isStuck?: boolean
}

/** The calls about checkouts: one of them, expiring it, and the list of a customer's, page by page. */
export function answerCheckouts(
  checkouts: readonly FakeCheckout[],
  method: string,
  path: string,
  query: URLSearchParams,
): { status: number; body: object } {
  const [, id, action] = /^\/v1\/checkout\/sessions(?:\/(\w+))?(?:\/(\w+))?$/.exec(path)!
  const session = checkouts.find((each) => each.id === id)
  if (session && method === 'GET') return { status: 200, body: session }
  if (session && action === 'expire') {
    if (session.status === 'open' && !session.isStuck)
      return { status: 200, body: Object.assign(session, { status: 'expired' }) }
    const message = `This Checkout Session has a status of ${session.status}.`
    return { status: 400, body: { error: { type: 'invalid_request_error', message } } }
  }
  const ofCustomer = checkouts.filter(({ customer }) => customer === query.get('customer'))
  const from = ofCustomer.findIndex((each) => each.id === query.get('starting_after')) + 1
  const page = ofCustomer.slice(from, from + Number(query.get('limit')))
  const data = page.map(({ listed, ...each }) => ({ ...each, status: listed ?? each.status }))
  return { status: 200, body: { object: 'list', url: path, data, has_more: ofCustomer.length > from + page.length } }
}
