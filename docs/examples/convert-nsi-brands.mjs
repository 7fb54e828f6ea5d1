/**
 * Turns an extract of the name-suggestion-index (brands.csv) into a file for `storedex import stores`.
 *
 *   node docs/examples/convert-nsi-brands.mjs brands.csv > stores.ndjson
 *
 * One store per host. Only what the source states is carried over: name, category, and the country of a brand that
 * trades in exactly one. Fields that a source does not know are left out, so that a later import from a better source
 * keeps its values.
 */
import { readFileSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'csv-parse/sync'
import { getDomain } from 'tldts'

const categoryMap = new URL('../../catalogue/build/osm-shop-categories.json', import.meta.url)

/** The text of brands.csv to store records, ordered by domain. Throws on a shop kind that the mapping lacks. */
export function convertBrands(csv) {
  const categoryOf = JSON.parse(readFileSync(categoryMap, 'utf8'))
  const brandsByHost = new Map()
  // Every cell stays text: a reader that guesses types loses Namibia, whose code is NA.
  for (const brand of parse(csv, { columns: true, bom: true })) {
    const host = hostOf(brand.domain)
    // A bare public suffix (gob.mx, the portal of a government) names no shop, and the import refuses it.
    if (getDomain(host, { allowPrivateDomains: true }) === null) continue
    brandsByHost.set(host, [...(brandsByHost.get(host) ?? []), brand])
  }
  return [...brandsByHost.keys()].sort(byCodeUnits).map((host) => toStore(host, brandsByHost.get(host), categoryOf))
}

function toStore(host, brands, categoryOf) {
  const [brand] = [...brands].sort((a, b) => compareBrands(host, a, b))
  const category = categoryOf[brand.category]
  if (category === undefined) throw new Error(`no category for shop=${brand.category} of ${host}`)
  const country = onlyCountry(brands.filter((other) => other.dissolved === brand.dissolved))
  return {
    domain: host,
    name: brand.name.trim(),
    ...(category !== null && { category }),
    ...(country !== null && { country }),
  }
}

/**
 * Many brands can share a host: the retailer, its opticians, its name in another country. The store takes its name from
 * the first in this order: still trading, named like the host, worldwide, in most countries, by name, by kind of shop.
 */
function compareBrands(host, a, b) {
  return (
    Number(a.dissolved) - Number(b.dissolved) ||
    likenessToHost(host, b) - likenessToHost(host, a) ||
    Number(b.worldwide) - Number(a.worldwide) ||
    countriesOf(b).length - countriesOf(a).length ||
    byCodeUnits(a.name, b.name) ||
    byCodeUnits(a.category, b.category)
  )
}

/** Length of the brand's name when the host contains it, else 0: "Walmart" names walmart.com better than any other. */
function likenessToHost(host, brand) {
  const letters = host.replace(/[^a-z0-9]/g, '')
  const spelling = brand.name
    .toLowerCase()
    .replaceAll('&', 'and')
    .normalize('NFKD')
    .replace(/[^a-z0-9]/g, '')
  return letters.includes(spelling) ? spelling.length : 0
}

/** The one country that the host's brands trade in, or null when they reach further. */
function onlyCountry(brands) {
  const countries = new Set(brands.flatMap(countriesOf))
  const atHome = brands.every(
    (brand) => brand.worldwide === '0' && brand.other_locations === '0' && brand.country !== '',
  )
  return atHome && countries.size === 1 ? [...countries][0] : null
}

function countriesOf(brand) {
  return brand.countries === '' ? [] : brand.countries.split('|')
}

function hostOf(domain) {
  return domain.toLowerCase().replace(/^www\./, '')
}

function byCodeUnits(a, b) {
  return a < b ? -1 : a > b ? 1 : 0
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [file] = process.argv.slice(2)
  if (!file) {
    process.stderr.write('usage: node convert-nsi-brands.mjs brands.csv > stores.ndjson\n')
    process.exit(2)
  }
  for (const store of convertBrands(readFileSync(file, 'utf8'))) process.stdout.write(`${JSON.stringify(store)}\n`)
}
