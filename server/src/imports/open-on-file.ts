import { openContact } from '../contacts/sealed-contact.ts'
import type { ContactFacts } from '../encryption/contact-facts.ts'
import { OperatorError } from '../kernel/errors.ts'
import { SealError, type Sealer } from '../kernel/seal.ts'

/** Opens a contact as the database has it. That the keyring lacks its key is for the operator to hear. */
export function openOnFile(sealer: Sealer, storeId: number, number: number, sealed: Buffer): ContactFacts {
  try {
    return openContact(sealer, storeId, number, sealed)
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause
    throw new OperatorError(`Contact ${number} of store ${storeId} cannot be opened: ${cause.message}.`, { cause })
  }
}
