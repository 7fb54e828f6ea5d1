import pg from 'pg'
import { OperatorError } from '../kernel/errors.ts'

const oldestMajorVersion = 15
const connectTimeoutMs = 10_000

/**
 * Makes sure that a PostgreSQL of the operator's own answers at `url` and is new enough; says in one sentence what is not so.
 * Answers the role that one is there.
 */
export async function checkServer(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs })
  client.on('error', () => {}) // the connection is only looked at
  try {
    await client.connect()
    const { rows } = await client.query<{ role: string; server_version: string; server_version_num: string }>(
      "select current_user as role, current_setting('server_version') as server_version, current_setting('server_version_num') as server_version_num",
    )
    const { role, server_version, server_version_num } = rows[0]!
    if (Number(server_version_num) < oldestMajorVersion * 10_000)
      throw new OperatorError(
        `The database at ${placeOf(url)} is PostgreSQL ${server_version}; Storedex needs ${oldestMajorVersion} or newer.`,
      )
    return role
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause
    throw new OperatorError(`The database at ${placeOf(url)} cannot be used: ${reasonOf(cause)}.`, { cause })
  } finally {
    await client.end().catch(() => {})
  }
}

/** Host, port and database, never user or password. */
function placeOf(url: string): string {
  const { host, port, database } = new pg.Client({ connectionString: url })
  return `${host}:${port}/${database}`
}

const untrusted = 'its certificate is not trusted; name the authority that signed it as sslrootcert in DATABASE_URL'

const reasons: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'nothing listens there',
  ENOTFOUND: 'this host is not known',
  EAI_AGAIN: 'this host is not known',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'this host cannot be reached',
  '28P01': 'it refuses the user or the password',
  '3D000': 'it has no database of this name',
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (/does not support SSL/.test(message)) return 'it does not offer TLS'
  return reasons[code ?? ''] ?? (/timeout/i.test(message) ? 'it does not answer' : message.replace(/\.$/, ''))
}
