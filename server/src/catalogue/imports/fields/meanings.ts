/** How headers are compared, and which of several that mean one field is the surest. */

/** What people call the fields of a record in the headers of their files. Compared by `keyOfHeader`. */
export type Synonyms = Readonly<Record<string, readonly string[]>>

const letters: Readonly<Record<string, string>> = { ß: 'ss', ł: 'l', ø: 'o', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i' }

/** Compares headers without regard to case, accents, blanks and punctuation. A leading # means a count: `# Employees`. */
export function keyOfHeader(header: string): string {
  const text = header
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[ßłøđæœı]/g, (letter) => letters[letter]!)
  return (/^\s*[#%]/.test(text) ? '#' : '') + text.replace(/[^\p{L}\p{M}\p{N}]/gu, '')
}

/**
 * Headings that can mean nothing else. They win over the field's own name: `Title` may be Dr., and the country beside
 * `Company Country` that of a person.
 */
const certainWords: Synonyms = {
  domain: ['company domain', 'company domain name', 'store domain', 'shop domain', 'primary domain'],
  store_domain: ['company domain', 'company domain name', 'shop domain', 'company website', 'store website'],
  name: ['company', 'company name', 'store name', 'shop name', 'business name', 'merchant name', 'firma', 'firmenname'],
  country: ['company country', 'store country', 'shop country', 'hq country'],
  revenue_tier: ['monthly revenue', 'revenue a month', 'monthly sales', 'monatsumsatz'],
  traffic_tier: ['monthly traffic', 'monthly visits', 'visits a month'],
  'store_created_at.estimate': ['store created', 'store created at', 'store created on', 'store creation date'],
  'technologies.theme.name': ['theme name', 'shopify theme'],
  external_id: ['contact id', 'person id', 'record id contact', 'apollo contact id'],
  full_name: ['contact name', 'person name', 'vollständiger name', 'nom complet', 'nombre completo', 'nome completo'],
  title: ['job title', 'job position', 'berufsbezeichnung'],
  profile_url: ['linkedin profile url', 'person linkedin url', 'contact linkedin url'],
}

const certainKeys = new Map(
  Object.entries(certainWords).map(([field, words]) => [field, new Set(words.map(keyOfHeader))]),
)

/** How surely a heading means a field: 2 if it means nothing else, 1 for the field's own name, 0 for other words. */
export function certaintyOf(header: string, field: string): 0 | 1 | 2 {
  const key = keyOfHeader(header)
  const name = field.replace(/^contact\./, '')
  if (certainKeys.get(name)?.has(key)) return 2
  return key === keyOfHeader(field) || key === keyOfHeader(name) ? 1 : 0
}

interface PersonWords {
  words: ReadonlySet<string>
  /** Headings beside which they are a part of a person's name. */
  beside: ReadonlySet<string>
}

const keys = (text: string) => new Set(text.split(', ').map(keyOfHeader))

/** `Name` beside `Vorname` is the last name. */
export const surnameWords: PersonWords = {
  words: keys('name, naam, nom'),
  beside: keys('vorname, voornaam, prénom'),
}

/** `Nombre` beside `Apellidos` is the first name. */
export const givenNameWords: PersonWords = {
  words: keys('nombre, nombres, nome, 名, 名字'),
  beside: keys('apellido, apellidos, primer apellido, cognome, sobrenome, apelido, 姓, 姓氏'),
}

/** Words for what a column says of an email or a phone, the longest first. As keys. */
export const attributeWords = [
  ...['verificationstatus', 'verification', 'isprimary', 'validity', 'address', 'adresse', 'status', 'value'],
  ...['label', 'type', 'flag'],
] as const
