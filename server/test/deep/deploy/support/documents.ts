import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseAllDocuments } from 'yaml'

export const projectDir = resolve(import.meta.dirname, '../../../../..')
const folder = join(projectDir, 'deploy')

// biome-ignore lint/suspicious/noExplicitAny: documents of many schemas, which the tests validate
type Document = any

export function readDeployFile(path: string): string {
  return readFileSync(join(folder, path), 'utf8')
}

/** The paths of all files, from `deploy/`. */
export function deployFiles(): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
}

/** The documents of a file. Throws for what YAML 1.2 does not allow, such as a key that is there twice. */
export function parseDeployFile(path: string): Document[] {
  return parseAllDocuments(readDeployFile(path), { strict: true, uniqueKeys: true }).map((document) => {
    const [problem] = [...document.errors, ...document.warnings]
    if (problem) throw problem
    return document.toJS()
  })
}

/** The objects of Kubernetes in these files, with the file that each is from. */
export function kubernetesObjects(): { file: string; object: Document }[] {
  return deployFiles()
    .filter((path) => path.startsWith('kubernetes/') && path.endsWith('.yaml'))
    .flatMap((file) => parseDeployFile(file).map((object) => ({ file, object })))
    .filter(({ object }) => object.kind !== 'Kustomization')
}

/** The names of a file of settings, `NAME=value` on each line. */
export function namesOfSettings(path: string): string[] {
  return [...readDeployFile(path).matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name!)
}
