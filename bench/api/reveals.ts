/** Reveals, by how many contacts a request names and whether it carries an Idempotency-Key. */
export const revealShapes = {
  reveal_1: { contacts: 1, isKeyed: false },
  reveal_10: { contacts: 10, isKeyed: false },
  reveal_1_keyed: { contacts: 1, isKeyed: true },
  reveal_10_keyed: { contacts: 10, isKeyed: true },
} as const

export type RevealOperation = keyof typeof revealShapes
export const revealOperations = Object.keys(revealShapes) as RevealOperation[]

export function isReveal(operation: string): operation is RevealOperation {
  return operation in revealShapes
}

/** The operation that a request with so many contacts belongs to. */
export function revealOperationOf(contacts: number, isKeyed: boolean): RevealOperation {
  const operation = revealOperations.find((name) => {
    const shape = revealShapes[name]
    return shape.contacts === contacts && shape.isKeyed === isKeyed
  })
  if (!operation) throw new Error(`no operation reveals ${contacts} contacts`)
  return operation
}

/** Somebody who can be revealed, as the database and as callers name them. */
export interface RevealableContact {
  key: number
  id: string
}

/**
 * The contacts of one reveal after the other: each contact once, so that every reveal spends, and an error for whoever asks
 * for more. From a server that does not know whom it has revealed, they may be asked for `overAndOver`.
 */
export function dealContacts<T>(contacts: readonly T[], operation: RevealOperation, overAndOver = false): () => T[] {
  const { contacts: count } = revealShapes[operation]
  let dealt = 0
  return () => {
    if (dealt + count > contacts.length) {
      // Whom an account has revealed it gets for nothing: figures with such replies among them would be worth nothing.
      if (!overAndOver) throw new Error('everybody was revealed before the run was over; ask for more --stores')
      dealt = 0
    }
    dealt += count
    return contacts.slice(dealt - count, dealt)
  }
}
