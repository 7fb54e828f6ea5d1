import { randomBytes } from 'node:crypto'
import { FairQueue, FairSemaphore } from '@storedex/work'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import { mailboxOf } from '../../../foundation/kernel/mail/mailbox.ts'
import { networkOf } from '../../../foundation/kernel/text/networks.ts'

/** Memory in KiB and passes of a hash. */
interface HashCost {
  memoryCost: number
  timeCost: number
}

// OWASP's first choice for Argon2id: 19 MiB, two passes, one lane.
const productionCost: HashCost = { memoryCost: 19_456, timeCost: 2 }

/**
 * A hash of this cost that belongs to no password. A user who does not exist, or has no password, is checked against it,
 * so that every answer takes the same work.
 */
function nobodysHash({ memoryCost, timeCost }: HashCost): string {
  const [salt, digest] = [16, 32].map((bytes) => randomBytes(bytes).toString('base64').replaceAll('=', ''))
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${salt}$${digest}`
}

// Native code: a start has no use for it.
const loadLibrary = () => import('@node-rs/argon2')

const maxAtOnce = 2
/** One network alone has half of the places: a second of work, as who waits longer is lost to the deadline of requests. */
const places = 68
const placesOfUser = 4

/** The user of the password, and the network of the request. */
export interface PasswordAsker {
  /** The email address that was given, or that of the user who is signed in. */
  email: string
  /** The network address of the browser. */
  address: string
}

/**
 * Hashes and verifies passwords, a bounded number at once: each takes a CPU for tens of milliseconds, and memory. Places to
 * wait are shared fairly between users and between networks, and networks take turns, so that none keeps the others out.
 */
export class PasswordHasher {
  #cost = productionCost
  #nobodysHash = nobodysHash(productionCost)
  #verifications = 0
  readonly #users = new FairSemaphore(places, placesOfUser)
  readonly #networks = new FairSemaphore(places)
  readonly #turns = new FairQueue(maxAtOnce)

  /** How many passwords were verified, those of unknown addresses included. */
  get verifications(): number {
    return this.#verifications
  }

  /** For tests, in which hundreds of people sign in: no setting leads here. Existing hashes have their cost in them. */
  useCost(cost: HashCost): void {
    this.#cost = cost
    this.#nobodysHash = nobodysHash(cost)
  }

  hash(password: string, asker: PasswordAsker): Promise<string> {
    return this.#inTurn(asker, async () => {
      const { hash } = await loadLibrary()
      // `Algorithm.Argon2id` is 2; its enum is declared const.
      return hash(normalize(password), { algorithm: 2, parallelism: 1, ...this.#cost })
    })
  }

  /** Whether the password has this hash. Without a hash it is false, after the same work. */
  async verify(password: string, passwordHash: string | null, asker: PasswordAsker): Promise<boolean> {
    const matches = await this.#inTurn(asker, async () => {
      this.#verifications++
      const { verify } = await loadLibrary()
      return verify(passwordHash ?? this.#nobodysHash, normalize(password))
    })
    return matches && passwordHash !== null
  }

  async #inTurn<T>({ email, address }: PasswordAsker, work: () => Promise<T>): Promise<T> {
    const leaveUser = this.#users.tryAcquire(mailboxOf(email))
    if (!leaveUser) throw busyError()
    const network = networkOf(address)
    const leaveNetwork = this.#networks.tryAcquire(network)
    const holder = { name: network, maxPermits: maxAtOnce }
    try {
      if (!leaveNetwork) throw busyError()
      return await this.#turns.run(holder, work)
    } finally {
      leaveNetwork?.()
      leaveUser()
    }
  }
}

function busyError(): Refusal {
  return new Refusal('service_unavailable', 'Too many people are signing in; try again in a moment.')
}

/** One for the process, because the CPU and the memory are the process's. */
export const passwordHasher = new PasswordHasher()

/** The same characters typed on another keyboard can be other code points. */
function normalize(password: string): string {
  return password.normalize('NFKC')
}
