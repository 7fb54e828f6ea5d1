import { ApiError } from '../kernel/errors.ts'
import { parseStrictJson } from '../kernel/json.ts'
import type { ProviderEvent } from './provider.ts'

const idShape = /^[\w.-]{1,255}$/

/**
 * The event in a webhook's body. In every version of Stripe's API it names the object that changed, and most of these
 * their customer; what was taken from a customer names it among what was before. `secretKey` says which mode is ours.
 */
export function readEvent(body: Buffer, secretKey: string): ProviderEvent {
  const parsed = parseStrictJson(body)
  if (!parsed.ok) throw new ApiError('invalid_json', 'The body is not valid JSON.')
  const { id, type, data, livemode } = fieldsOf(parsed.value)
  if (!isId(id) || !isId(type)) throw new ApiError('invalid_request', 'The body is not an event.')
  const { object, previous_attributes } = fieldsOf(data)
  const about = fieldsOf(object)
  const customer =
    about.object === 'customer' ? about.id : idOf(about.customer ?? fieldsOf(previous_attributes).customer)
  return {
    id,
    type,
    customerId: isId(customer) ? customer : null,
    isOfOtherMode: (livemode === true) !== isLiveKey(secretKey),
  }
}

/** Secret and restricted keys of Stripe tell their mode: sk_live_, rk_live_, sk_test_, rk_test_. */
function isLiveKey(secretKey: string): boolean {
  return /^[sr]k_live_/.test(secretKey)
}

/** An object stands for its id where it was expanded. */
function idOf(reference: unknown): unknown {
  return typeof reference === 'string' ? reference : fieldsOf(reference).id
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && idShape.test(value)
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
