import { Refusal } from '../errors.ts'

// Nothing that mail programs and servers read as more than letters: brackets, quotes, comments, lists, routes. One text
// is one mailbox.
const localPart = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
const hostPart = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*'
const plainAddress = new RegExp(`^${localPart}@${hostPart}$`)
const maxLength = 254
const maxLocalLength = 64

/** Whether a text in lower case means the same mailbox to everybody who reads it. */
export function isPlainAddress(text: string): boolean {
  return text.length <= maxLength && text.indexOf('@') <= maxLocalLength && plainAddress.test(text)
}

/**
 * The email address of a user, in the form that is stored, compared and mailed to: lower
 * case, without blanks around it. Null for anything but a plain address.
 */
export function readUserAddress(given: string): string | null {
  const address = given.trim().toLowerCase()
  return isPlainAddress(address) ? address : null
}

/** The same; throws for anything but a plain address. */
export function requireUserAddress(given: string): string {
  const address = readUserAddress(given)
  if (address === null)
    throw new Refusal('invalid_request', 'email must be a plain email address, such as mara@aurora.example.', {
      param: 'email',
    })
  return address
}
