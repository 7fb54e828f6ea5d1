import { normalizeEmail } from '../channels/email.ts'

/**
 * The mailbox of an address, for windows that bound what one mailbox gets: spellings that a provider delivers to the same
 * place are one. Apart from `user-address.ts`, because commands have no use for the libraries that this loads.
 */
export function mailboxOf(address: string): string {
  return normalizeEmail(address) ?? address
}
