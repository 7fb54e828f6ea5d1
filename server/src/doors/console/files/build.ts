import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { etagOf } from '../../../foundation/http/replies.ts'
import { OperatorError } from '../../../foundation/kernel/errors.ts'

/** The built console: the files that `console/build.mjs` writes. */
export interface ConsoleBuild {
  folder: string
  /** The document of each page by its path, with parameters: `/stores/:domain`. */
  pages: ReadonlyMap<string, PageDocument>
  /** Files beside the index, such as `theme.js`. */
  rootFiles: readonly string[]
  /** The folder of each file in `assets`, of this build and of earlier ones that are kept. */
  assets: ReadonlyMap<string, string>
}

export interface PageDocument {
  text: string
  etag: string
}

// How the launcher names builds.
const buildName = /^console-[0-9a-f]{16}$/
// The build's own files, and compressed copies of others.
const notServed = /^(index\.html|pages\.json|\..*)$|\.(br|gz)$/

/** Reads the list of files of a build. Throws an `OperatorError` for a folder without one. */
export function readConsoleBuild(folder: string): ConsoleBuild {
  try {
    const index = readFileSync(join(folder, 'index.html'), 'utf8')
    const scripts = JSON.parse(readFileSync(join(folder, 'pages.json'), 'utf8')) as Record<string, string[]>
    return {
      folder,
      pages: new Map(
        Object.entries({ '/': [], ...scripts }).map(([path, files]) => [path, createDocument(index, files)]),
      ),
      rootFiles: filesIn(folder).filter((name) => !notServed.test(name)),
      assets: listAssets([...earlierBuilds(folder), folder]),
    }
  } catch (cause) {
    throw new OperatorError(`CONSOLE_DIR must name a folder with a built console; ${folder} is none.`, { cause })
  }
}

/** The index, which also names the scripts of this page, so that the browser fetches all of them at once. */
function createDocument(index: string, scripts: readonly string[]): PageDocument {
  const links = scripts.map((file) => `  <link rel="modulepreload" crossorigin href="/${file}">\n  `)
  const text = index.replace('</head>', `${links.join('')}</head>`)
  return { text, etag: etagOf(text) }
}

/** A page that is open since before an update still loads parts of the build it came from. */
function earlierBuilds(folder: string): string[] {
  if (!buildName.test(basename(folder))) return []
  const parent = dirname(folder)
  return readdirSync(parent)
    .filter((name) => buildName.test(name) && name !== basename(folder))
    .map((name) => join(parent, name))
}

/** Names contain a hash of the content, so files of the same name are the same. */
function listAssets(folders: readonly string[]): Map<string, string> {
  const assets = folders.map((folder) => join(folder, 'assets'))
  return new Map(
    assets.flatMap((folder) => filesIn(folder).flatMap((name) => (notServed.test(name) ? [] : [[name, folder]]))),
  )
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
}
