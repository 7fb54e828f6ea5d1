import { randomBytes } from 'node:crypto'
import { ApiError } from '../../kernel/errors.ts'

/** Memory in KiB and passes of a hash. */
interface HashCost {
  memoryCost: number
  timeCost: number
}

// OWASP's first choice for Argon2id: 19 MiB, two passes, one lane.
const productionCost: HashCost = { memoryCost: 19_456, timeCost: 2 }

/**
 * A hash of this cost that belongs to no password. A person who does not exist, or has no password, is checked against it,
 * so that every answer takes the same work.
 */
function nobodysHash({ memoryCost, timeCost }: HashCost): string {
  const [salt, digest] = [16, 32].map((bytes) => randomBytes(bytes).toString('base64').replaceAll('=', ''))
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${salt}$${digest}`
}

// Native code: a start has no use for it.
const loadLibrary = () => import('@node-rs/argon2')

const maxAtOnce = 2
/** A second of work: who waits longer is lost to the deadline of requests on a busy machine. */
const maxWaiting = 32

/** Hashes and verifies passwords, a bounded number at once: each takes a CPU for tens of milliseconds, and memory. */
export class PasswordHasher {
  #cost = productionCost
  #nobodysHash = nobodysHash(productionCost)
  #running = 0
  #verifications = 0
  readonly #waiting: (() => void)[] = []

  /** How many passwords were verified, real ones and those of nobody. */
  get verifications(): number {
    return this.#verifications
  }

  /** For tests, in which hundreds of people sign in: no setting leads here. Existing hashes have their cost in them. */
  useCost(cost: HashCost): void {
    this.#cost = cost
    this.#nobodysHash = nobodysHash(cost)
  }

  hash(password: string): Promise<string> {
    return this.#inTurn(async () => {
      const { hash } = await loadLibrary()
      // `Algorithm.Argon2id` is 2; its enum is declared const.
      return hash(normalize(password), { algorithm: 2, parallelism: 1, ...this.#cost })
    })
  }

  /** Whether the password has this hash. Without a hash it is false, after the same work. */
  async verify(password: string, passwordHash: string | null): Promise<boolean> {
    const matches = await this.#inTurn(async () => {
      this.#verifications++
      const { verify } = await loadLibrary()
      return verify(passwordHash ?? this.#nobodysHash, normalize(password))
    })
    return matches && passwordHash !== null
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= maxAtOnce) {
      if (this.#waiting.length >= maxWaiting)
        throw new ApiError('service_unavailable', 'Too many people are signing in; try again in a moment.')
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else this.#running++
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}

/** One for the process, because the CPU and the memory are the process's. */
export const passwordHasher = new PasswordHasher()

/** The same characters typed on another keyboard can be other code points. */
function normalize(password: string): string {
  return password.normalize('NFKC')
}
