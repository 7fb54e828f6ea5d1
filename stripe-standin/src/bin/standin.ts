import { createStandin } from '../app.ts'
import { isLoopbackHost } from '../http/access.ts'
import { parsePlans } from '../state/seed.ts'

/**
 * Runs the local Stripe as a process, configured by STANDIN_… environment variables. When it listens it prints one line
 * of JSON with URL, API key and webhook secret. It ends on SIGINT and SIGTERM and, with STANDIN_TIED=1, also when
 * standard input closes, so that it cannot outlive a killed parent.
 */
const tickMs = 500

async function main(): Promise<void> {
  const env = process.env
  const webhookUrl = env.STANDIN_WEBHOOK_URL
  const host = env.STANDIN_HOST || '127.0.0.1'
  if (!isLoopbackHost(host)) throw new Error('STANDIN_HOST must be 127.0.0.1, ::1 or localhost.')
  const { app, standin } = await createStandin({
    stateDir: env.STANDIN_STATE_DIR,
    secretKey: env.STANDIN_SECRET_KEY || undefined,
    webhook: webhookUrl ? { url: webhookUrl, secret: env.STANDIN_WEBHOOK_SECRET || undefined } : undefined,
    plans: env.STANDIN_PRICES ? parsePlans(env.STANDIN_PRICES) : undefined,
  })
  await app.listen({ host, port: Number(env.STANDIN_PORT ?? 0) })
  const ticking = setInterval(() => void standin.tick().catch(fail), tickMs)
  const end = () => {
    clearInterval(ticking)
    void app.close().then(() => process.exit(0), fail)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
  if (env.STANDIN_TIED === '1') process.stdin.resume().once('close', end)
  const { url, secretKey, webhookSecret } = standin
  process.stdout.write(`${JSON.stringify({ url, secret_key: secretKey, webhook_secret: webhookSecret })}\n`)
}

function fail(error: unknown): void {
  process.stderr.write(`The stand-in failed: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

main().catch(fail)
