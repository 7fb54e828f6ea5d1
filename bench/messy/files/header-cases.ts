/** Headers in other languages, and as well-known programs write them. */
import { type FileCase, fileCase, joinRows, refused, taken } from './file-case.ts'

const storeHeaders: Record<string, string[]> = {
  German: ['Webseite', 'Firma', 'Land'],
  'German, other words': ['Internetadresse', 'Unternehmen', 'Land'],
  French: ['Site web', 'Entreprise', 'Pays'],
  Spanish: ['Sitio web', 'Empresa', 'País'],
  Italian: ['Sito web', 'Azienda', 'Paese'],
  Dutch: ['Website', 'Bedrijf', 'Land'],
  Portuguese: ['Site', 'Empresa', 'País'],
  Polish: ['Strona internetowa', 'Firma', 'Kraj'],
  Japanese: ['ウェブサイト', '会社名', '国'],
  Chinese: ['网站', '公司', '国家'],
  'HubSpot companies': ['Company Domain Name', 'Company name', 'Country/Region'],
  'Salesforce accounts, labels': ['Website', 'Account Name', 'Billing Country'],
  'Salesforce accounts, API names': ['Website', 'Name', 'BillingCountry'],
  'Apollo companies': ['Website', 'Company', 'Company Country'],
}

const delimiters = [',', ';', '\t']

const stores = Object.entries(storeHeaders).map(([name, header], index) =>
  fileCase(
    10,
    `stores, ${name}`,
    joinRows([header, ['oak.example', 'Oak', 'DE'], ['elm.example', 'Elm', 'FR']], delimiters[index % 3]),
    taken([
      { domain: 'oak.example', name: 'Oak', country: 'DE' },
      { domain: 'elm.example', name: 'Elm', country: 'FR' },
    ]),
  ),
)

/** The store, first and last name, email, phone, title. */
const contactHeaders: Record<string, string[]> = {
  German: ['Webseite', 'Vorname', 'Nachname', 'E-Mail', 'Telefon', 'Position'],
  French: ['Site web', 'Prénom', 'Nom de famille', 'E-mail', 'Téléphone', 'Fonction'],
  Spanish: ['Sitio web', 'Nombre', 'Apellidos', 'Correo electrónico', 'Teléfono', 'Cargo'],
  Italian: ['Sito web', 'Nome', 'Cognome', 'E-mail', 'Telefono', 'Posizione'],
  Dutch: ['Website', 'Voornaam', 'Achternaam', 'E-mail', 'Telefoon', 'Functie'],
  Portuguese: ['Site', 'Nome', 'Sobrenome', 'E-mail', 'Telefone', 'Cargo'],
  Polish: ['Strona internetowa', 'Imię', 'Nazwisko', 'E-mail', 'Telefon', 'Stanowisko'],
  Japanese: ['ウェブサイト', '名', '姓', 'メールアドレス', '電話番号', '役職'],
  Chinese: ['网站', '名字', '姓氏', '电子邮件', '电话', '职位'],
  'HubSpot contacts': ['Website URL', 'First Name', 'Last Name', 'Email', 'Phone Number', 'Job Title'],
  'Salesforce contacts, API names': ['Website', 'FirstName', 'LastName', 'Email', 'Phone', 'Title'],
  Outlook: ['Web Page', 'First Name', 'Last Name', 'E-mail Address', 'Business Phone', 'Job Title'],
  Apollo: ['Website', 'First Name', 'Last Name', 'Email', 'Work Direct Phone', 'Title'],
}

const contacts = Object.entries(contactHeaders).map(([name, header]) =>
  fileCase(
    10,
    `contacts, ${name}`,
    joinRows([header, ['shop.example', 'Mara', 'Lind', 'mara@shop.example', '+493023125123', 'Head of Shop']], ';'),
    taken([
      {
        store_domain: 'shop.example',
        first_name: 'Mara',
        last_name: 'Lind',
        'emails.0.email': 'mara@shop.example',
        'phones.0.phone': '+493023125123',
        title: 'Head of Shop',
      },
    ]),
    { kind: 'contacts' },
  ),
)

const unknown = (delimiter: string) =>
  joinRows(
    [
      ['Foo', 'Bar', 'Baz'],
      ['oak.example', 'Oak', 'DE'],
      ['elm.example', 'Elm', 'FR'],
    ],
    delimiter,
  )

/** None of the names is known: the delimiter must be found all the same, so that the advice is of use. */
const strange = [';', '\t', '|'].map((delimiter) =>
  fileCase(10, `no known header, ${JSON.stringify(delimiter)}`, unknown(delimiter), {
    ...refused(/--map "?Foo=/),
    never: /Foo[;\t|]Bar/,
  }),
)

export const headerCases: readonly FileCase[] = [...stores, ...contacts, ...strange]
