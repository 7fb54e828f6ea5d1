import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { dirname, normalize, join as posixJoin } from 'node:path/posix'

/** A document of the project that is served as a page. */
export interface DocumentPage {
  /** The last part of its path, below /docs. */
  name: string
  /** Where it is in the project. */
  file: string
  /** In the navigation. */
  label: string
  /** One sentence, for search engines and assistants. */
  description: string
  reader: 'customer' | 'operator'
  /** Keeps the parts of the document that its readers need; by default all of it. */
  select?: (text: string) => string
}

const pages: readonly DocumentPage[] = [
  {
    name: 'afternoon',
    file: 'docs/afternoon.md',
    label: 'Tutorial',
    description: 'From a key to a revealed contact in five steps, in curl, TypeScript and Python.',
    reader: 'customer',
  },
  {
    name: 'guide',
    file: 'docs/api.md',
    label: 'Guide',
    description: 'How to use the API: keys, limits, searches, reveals, lists, exports, billing and errors.',
    reader: 'customer',
  },
  {
    name: 'clients',
    file: 'docs/clients.md',
    label: 'Clients',
    description: 'The typed client, generated clients, and tools for assistants by MCP.',
    reader: 'customer',
  },
  {
    name: 'sandbox',
    file: 'catalogue/sandbox/README.md',
    label: 'Sandbox',
    description: 'The invented stores and people that test keys see, with one for every outcome.',
    reader: 'customer',
  },
  {
    name: 'exports',
    file: 'docs/exports.md',
    label: 'Exports',
    description: 'The columns of exported files, and the formats for CRM systems.',
    reader: 'customer',
  },
  {
    name: 'changelog',
    file: 'CHANGELOG.md',
    label: 'Changelog',
    description: 'What changed in the API, by version.',
    reader: 'customer',
    select: keepApiChanges,
  },
  {
    name: 'privacy',
    file: 'docs/privacy.md',
    label: 'Privacy',
    description: 'How personal data is stored, shown and erased.',
    reader: 'operator',
  },
  {
    name: 'status-codes',
    file: 'docs/status-codes.md',
    label: 'Status codes',
    description: 'In which order a request is checked, and which refusals count.',
    reader: 'operator',
    select: (text) => text.split('\n## How an error is made')[0]!,
  },
]

/** The pages whose documents are there. */
export function findPages(projectDir: string): readonly DocumentPage[] {
  return pages.filter(({ file }) => existsSync(join(projectDir, file)))
}

export function pathOf({ name }: DocumentPage): string {
  return `/docs/${name}`
}

/** Resolves a relative link of a document to its path here; null if its target is not served. */
export function resolveLink(served: readonly DocumentPage[], { file }: DocumentPage, target: string): string | null {
  const [relative = '', fragment] = target.split('#')
  const linked = normalize(posixJoin(dirname(file), relative))
  const page = served.find((each) => each.file === linked)
  return page ? pathOf(page) + (fragment === undefined ? '' : `#${fragment}`) : null
}

/** The API's part of each version; the rest is for those who run or build the service. */
function keepApiChanges(text: string): string {
  // The fingerprint is of the recorded document; the served one has the ids and the address of its installation.
  const [start = '', ...versions] = text
    .replace(/ Each\snames the fingerprint[\s\S]{0,150}?requires it\./, '')
    .replaceAll(/ \(contract [0-9a-f]+\)/g, '')
    .split(/^(?=## )/m)
  const kept = versions.map((version) => {
    const [title = '', ...parts] = version.split(/^(?=### )/m)
    return title + parts.filter((part) => part.startsWith('### API\n')).join('')
  })
  return start + kept.join('')
}
