import { createHash, timingSafeEqual } from 'node:crypto'
import { StripeError } from './errors.ts'

/** Refuses a request without the secret key, which comes as a bearer or as the user of basic authentication. */
export function checkKey(secretKey: string, authorization: string | undefined): void {
  const [scheme = '', credentials = ''] = (authorization ?? '').split(' ')
  let given = ''
  if (scheme.toLowerCase() === 'bearer') given = credentials
  if (scheme.toLowerCase() === 'basic') given = Buffer.from(credentials, 'base64').toString().split(':')[0] ?? ''
  if (!given) {
    throw new StripeError(
      401,
      'invalid_request_error',
      'You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth.',
    )
  }
  if (!timingSafeEqual(digestOf(given), digestOf(secretKey)))
    throw new StripeError(401, 'invalid_request_error', `Invalid API Key provided: ${given.slice(0, 8)}****`)
}

/** Digests are of one length, so comparing them tells nothing of the key's. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
