import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { encodedTags } from '../replies.ts'
import { chooseEncoding, type Encoding } from './negotiate.ts'

/** `each`: every reply by itself. `once`: replies that are kept by their ETag, because many callers get the same. */
type Compression = 'each' | 'once'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether replies of this route to programs and to readers of documents are compressed. Never where a reply has a secret beside
     * text that somebody else can choose: its length would tell of the secret (BREACH).
     */
    compresses?: Compression
  }
}

// Smaller ones fit into a packet.
const minBytes = 1_024
// More would wait for a thread longer than a network takes to send them as they are.
const maxRunning = 16
const maxKeptBytes = 32 * 1_024 * 1_024

// The least work: more takes two to three times as long for a tenth fewer bytes.
const eachLevels = { br: 1, gzip: 1 } as const
// From 10 on, brotli takes ten times as long for 7 percent less.
const onceLevels = { br: 9, gzip: 9 } as const

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) }

/** Compresses replies of at least 1 KB of the routes that declare it, as their callers accept it. Call it before adding routes. */
export function compressReplies(app: FastifyInstance): void {
  const kept = new KeptReplies()
  let running = 0

  /** Null where the reply is better sent as it is. */
  const compressNow = async (body: Buffer, encoding: Encoding): Promise<Buffer | null> => {
    if (running >= maxRunning) return null
    running++
    try {
      return await compress(body, encoding, eachLevels[encoding])
    } finally {
      running--
    }
  }

  app.addHook('onRoute', (route) => {
    const { compresses, door } = route.config ?? {}
    // The console's requests carry a cookie: another site could make a browser send them.
    if (!compresses || (door !== undefined && door !== 'api')) return
    route.onSend = [
      ...[route.onSend ?? []].flat(),
      async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
        addVary(reply, 'accept-encoding')
        if (reply.statusCode === 304) keepTagOfCaller(request, reply)
        const body = bodyOf(payload)
        if (reply.statusCode !== 200 || body === null || body.length < minBytes) return payload
        const encoding = chooseEncoding(request.headers['accept-encoding'])
        if (encoding === null || reply.hasHeader('content-encoding')) return payload
        const etag = reply.getHeader('etag')
        const compressed =
          compresses === 'once' && typeof etag === 'string'
            ? await kept.find(`${encoding} ${etag}`, () => compress(body, encoding, onceLevels[encoding]))
            : await compressNow(body, encoding)
        if (compressed === null || compressed.length >= body.length) return payload
        reply.header('content-encoding', encoding).removeHeader('content-length')
        if (typeof etag === 'string') reply.header('etag', encodedTags(etag)[encoding])
        return compressed
      },
    ]
  })
}

function compress(body: Buffer, encoding: Encoding, level: number): Promise<Buffer> {
  if (encoding === 'gzip') return compressors.gzip(body, { level })
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: level,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    // A window of the usual 4 MB is allocated for each reply.
    ...(level < 9 && { [constants.BROTLI_PARAM_LGWIN]: 16 }),
  }
  return compressors.br(body, { params })
}

function bodyOf(payload: unknown): Buffer | null {
  if (typeof payload === 'string') return Buffer.from(payload)
  return Buffer.isBuffer(payload) ? payload : null
}

/** A 304 names the representation that the caller has. */
function keepTagOfCaller(request: FastifyRequest, reply: FastifyReply): void {
  const etag = reply.getHeader('etag')
  if (typeof etag !== 'string') return
  const known = Object.values(encodedTags(etag)).find((tag) => request.headers['if-none-match']?.includes(tag))
  if (known !== undefined) reply.header('etag', known)
}

function addVary(reply: FastifyReply, name: string): void {
  const vary = reply.getHeader('vary')
  reply.header('vary', vary === undefined ? name : `${String(vary)}, ${name}`)
}

/** Compressed replies by encoding and ETag. All are forgotten when they take too much memory: the versions in use return. */
class KeptReplies {
  readonly #replies = new Map<string, Promise<Buffer>>()
  #bytes = 0

  find(key: string, make: () => Promise<Buffer>): Promise<Buffer> {
    const known = this.#replies.get(key)
    if (known) return known
    const made = make()
    this.#replies.set(key, made)
    made.then(
      ({ length }) => {
        this.#bytes += length
        if (this.#bytes <= maxKeptBytes) return
        this.#replies.clear()
        this.#bytes = 0
      },
      () => this.#replies.delete(key),
    )
    return made
  }
}
