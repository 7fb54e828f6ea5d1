import type { DemoKeys } from './demo-keys.ts'

/** What a start tells: where the service is and how to make a first request. */
export interface Greeting {
  api: string
  docs: string
  data_dir: string
  /** Who is asked for payment, and whether money moves. */
  billing: string
  live_key: string | null
  test_key: string | null
  /** A request that works when pasted; null without a key to make it with. */
  curl: string | null
  /** What is not as one would expect. */
  notice: string | null
}

interface Address {
  publicUrl: string
  port: number
  portIsGiven: boolean
  dataDir: string
}

interface Facts {
  wantedPort: number
  keys: DemoKeys | null
  billing: string
}

export function greetingOf(address: Address, { wantedPort, keys, billing }: Facts): Greeting {
  const api = `${address.publicUrl}/api/v1`
  const isElsewhere = !address.portIsGiven && address.port !== wantedPort
  return {
    api,
    docs: `${address.publicUrl}/docs`,
    data_dir: address.dataDir,
    billing,
    live_key: keys?.live ?? null,
    test_key: keys?.test ?? null,
    curl: keys && `curl -s -H 'Authorization: Bearer ${keys.live}' ${api}/stores/aurora-candles.example`,
    notice: isElsewhere ? `Port ${wantedPort} is taken, so it listens on ${address.port}.` : null,
  }
}

/** The same for a person. */
export function tellGreeting(greeting: Greeting): string {
  const { notice, live_key, test_key, curl } = greeting
  const lines = [
    'Storedex is running. Ctrl-C ends it.',
    ...(notice ? ['', notice] : []),
    '',
    `  API            ${greeting.api}`,
    `  Documentation  ${greeting.docs}`,
    `  Data           ${greeting.data_dir}`,
    `  Billing        ${greeting.billing}`,
  ]
  if (curl)
    lines.push('', `  Live key       ${live_key}`, `  Test key       ${test_key}`, '', 'Try it:', '', `  ${curl}`, '')
  else
    lines.push(
      '',
      'Make an account and a key to begin with:',
      '',
      '  npx storedex accounts create --name "My company" --plan pro',
      '  npx storedex keys create <account id> --name "My first key"',
      '',
    )
  return lines.join('\n')
}
