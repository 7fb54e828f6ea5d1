import type { Block } from './blocks.ts'

/** A block, by its document and the beginning of its first line. */
interface BlockName {
  file: string
  starts: string
}

const start = 'docs/operations/start.md'
const imports = 'docs/operations/import.md'
const backups = 'docs/operations/backups.md'
const servers = 'docs/operations/many-servers.md'

/** Blocks that a test cannot run, and why. Every other block runs. */
export const notRun: (BlockName & { reason: string })[] = [
  {
    file: 'README.md',
    starts: 'npm start',
    reason: 'is the service that the test starts, and the run that it is part of',
  },
  { file: start, starts: 'git clone', reason: 'needs the address of a repository' },
  { file: start, starts: 'git pull', reason: 'needs the address of a repository' },
  { file: start, starts: '[Service]', reason: 'needs systemd' },
  { file: backups, starts: '15 3 * * *', reason: 'needs cron; its command is the backup above it' },
  { file: start, starts: 'create role', reason: 'needs the administrator of another PostgreSQL' },
  {
    file: servers,
    starts: 'select citus_set_coordinator_host',
    reason: 'needs a Citus coordinator with two workers',
  },
  {
    file: 'docs/operations/accounts-and-keys.md',
    starts: 'zcat ledger',
    reason: 'needs entries that are more than a year old',
  },
  { file: start, starts: 'upstream storedex', reason: 'needs nginx' },
  { file: servers, starts: 'npm start -- --workers', reason: 'is a service that does not end, on a fixed port' },
  { file: servers, starts: 'podman build', reason: 'needs Podman and a registry of images' },
  { file: servers, starts: 'cd deploy/compose', reason: 'needs Podman and a registry of images' },
  { file: servers, starts: 'kubectl apply --filename', reason: 'needs a cluster' },
  { file: servers, starts: 'DATABASE_URL=postgres://user:password@db1', reason: 'names servers that are not there' },
  { file: backups, starts: 'env -u STRIPE', reason: 'is a service that does not end, on a fixed port' },
  {
    file: backups,
    starts: "curl -s -H 'Authorization: Bearer sdx_live_…' http://127.0.0.1:8099",
    reason: 'asks that service',
  },
]

interface Special extends BlockName {
  /** The exit code that the document describes. */
  exitCode?: number
  /** The installation to work on, where the document says to stop the service first. */
  dataDir?: string
  /** A program that a machine may lack; without it the block does not run. */
  needs?: string
  /** What is run for a block that shows data: a command that takes the block, or one whose last line has the same shape. */
  takenBy?: string
  shapeOf?: string
}

// With the keys of the original, which the document says to put there.
const restored = '$(mkdir -p restored; cp -np "$kept/data-keys" restored; realpath restored)'

/** Blocks that do not run exactly as pasted, or show data that is not of the API. */
export const special: Special[] = [
  { file: start, starts: 'POSTGRES=', needs: 'psql' },
  { file: backups, starts: 'npx storedex restore', dataDir: restored },
  { file: backups, starts: 'tar -czpf', dataDir: restored },
  { file: backups, starts: 'tar -C /', dataDir: restored },
  { file: imports, starts: 'npx storedex import stores shops.csv --dry-run', exitCode: 1 },
  { file: imports, starts: '{"domain":"willow-teas.example"', takenBy: 'npx storedex import stores' },
  { file: imports, starts: 'domain,name,country', takenBy: 'npx storedex import stores' },
  { file: imports, starts: '{"store_domain"', takenBy: 'npx storedex import contacts' },
  {
    file: imports,
    starts: '{"line":2',
    shapeOf: 'npx storedex import stores oak.ndjson > /dev/null; cat oak.ndjson.rejects.ndjson',
  },
  {
    file: imports,
    starts: '{"read":2000',
    shapeOf: 'npx storedex import stores shops.csv --map Webshop=domain --map Notes= --json',
  },
]

/** Documents whose `text` blocks are drawings; elsewhere such a block is the output of the block before it. */
export const drawings = ['docs/architecture.md']

export function findEntry<T extends BlockName>(entries: readonly T[], { file, text }: Block): T | undefined {
  return entries.find((entry) => entry.file === file && text.trimStart().startsWith(entry.starts))
}
