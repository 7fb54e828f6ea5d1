import { beforeAll, beforeEach, expect, test } from 'vitest'
import { contactImportKind, importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import {
  importStoresAndContacts,
  storesOfBothKind,
} from '../../../../src/catalogue/imports/contacts/stores-and-contacts.ts'
import type { FieldNames } from '../../../../src/catalogue/imports/fields/field-names.ts'
import { importStores, storeImportKind } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { readHeader } from '../../../../src/catalogue/imports/table/header.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

/** The files of well-known programs: what each column is read as; what is not listed is told of as unknown. */
interface Exporter {
  name: string
  kind: FieldNames
  delimiter: string
  rows: string[]
  fields: Record<string, string>
  /** Columns that mean a field for which another one is surer. */
  second?: string[]
}

const hubspotCompanies: Exporter = {
  name: 'companies of HubSpot',
  kind: storeImportKind,
  delimiter: ',',
  rows: [
    'Record ID,Company name,Company owner,Create Date,Phone Number,City,Country/Region,Industry,Company Domain Name,Website URL,Number of Employees,Annual Revenue,LinkedIn Company Page,Lifecycle Stage',
    '90001,Willow Teas,Nora Finch,2024-02-03 10:11,+442079460123,Leeds,United Kingdom,,willow-teas.example,https://www.willow-teas.example,12,950000,https://www.linkedin.example/company/willow,lead',
    '90002,Fern Crafts,,2024-05-06 11:12,,Lyon,France,,fern-crafts.example,https://fern-crafts.example,3,,,customer',
  ],
  fields: {
    'Company name': 'name',
    'Country/Region': 'country',
    Industry: 'category',
    'Company Domain Name': 'domain',
  },
  second: ['Website URL'],
}

const hubspotContacts: Exporter = {
  name: 'contacts of HubSpot',
  kind: contactImportKind,
  delimiter: ',',
  rows: [
    'Record ID,First Name,Last Name,Email,Phone Number,Mobile Phone Number,Contact owner,Lead Status,Create Date,Associated Company,Email Domain,Website URL,Job Title,Lifecycle Stage',
    '501,Mara,Lindqvist,mara@willow-teas.example,+442079460123,+447700900123,Nora Finch,NEW,2024-02-03 10:11,Willow Teas,willow-teas.example,https://willow-teas.example,Head of Marketing,lead',
    '502,Ida,Moss,ida@fern-crafts.example,,,,,2024-05-06 11:12,Fern Crafts,fern-crafts.example,fern-crafts.example,Founder,customer',
  ],
  fields: {
    'Record ID': 'external_id',
    'First Name': 'first_name',
    'Last Name': 'last_name',
    Email: 'emails.0.email',
    'Phone Number': 'phones.0.phone',
    'Mobile Phone Number': 'phones.1.phone',
    'Website URL': 'store_domain',
    'Job Title': 'title',
  },
}

const salesforceAccounts: Exporter = {
  name: 'accounts of Salesforce',
  kind: storeImportKind,
  delimiter: ',',
  rows: [
    'Id,Name,Type,ParentId,BillingCity,BillingCountry,Phone,Website,Industry,AnnualRevenue,NumberOfEmployees,OwnerId,CreatedDate',
    '001A,Willow Teas,Prospect,,Leeds,United Kingdom,+442079460123,willow-teas.example,,950000,12,005A,2024-02-03T10:11:12.000Z',
    '001B,Fern Crafts,Customer,,Lyon,France,,https://fern-crafts.example/,,,3,005A,2024-05-06T11:12:13.000Z',
  ],
  fields: { Name: 'name', BillingCountry: 'country', Website: 'domain', Industry: 'category' },
}

const salesforceLeads: Exporter = {
  name: 'leads of Salesforce',
  kind: contactImportKind,
  delimiter: ',',
  rows: [
    'Id,LastName,FirstName,Salutation,Name,Title,Company,City,Phone,MobilePhone,Fax,Email,Website,LeadSource,Status,Rating,AnnualRevenue',
    '00QA,Lindqvist,Mara,Ms.,Mara Lindqvist,Head of Marketing,Willow Teas,Leeds,+442079460123,+447700900123,,mara@willow-teas.example,willow-teas.example,Web,Open,Hot,950000',
    '00QB,Moss,Ida,,Ida Moss,Founder,Fern Crafts,Lyon,,,,ida@fern-crafts.example,fern-crafts.example,Web,Working,,',
  ],
  fields: {
    Id: 'external_id',
    LastName: 'last_name',
    FirstName: 'first_name',
    Name: 'full_name',
    Title: 'title',
    Phone: 'phones.0.phone',
    MobilePhone: 'phones.1.phone',
    Email: 'emails.0.email',
    Website: 'store_domain',
  },
}

const apollo: Exporter = {
  name: 'people of Apollo, with their companies',
  kind: storesOfBothKind,
  delimiter: ',',
  rows: [
    'First Name,Last Name,Title,Company,Company Name for Emails,Email,Email Status,Email Confidence,Contact Owner,Work Direct Phone,Home Phone,Mobile Phone,Corporate Phone,Stage,# Employees,Person Linkedin Url,Website,Company Linkedin Url,City,Country,Company Country,Annual Revenue,Apollo Contact Id,Apollo Account Id,Secondary Email,Secondary Email Status',
    'Mara,Lindqvist,Head of Marketing,Willow Teas,Willow,mara@willow-teas.example,Verified,0.98,,+442079460123,,+447700900123,,Cold,12,https://www.linkedin.example/in/mara,https://willow-teas.example,https://www.linkedin.example/company/willow,Malmo,Sweden,United Kingdom,950000,ap-1,ac-1,m.lindqvist@willow-teas.example,Unverified',
    'Ida,Moss,Founder,Fern Crafts,Fern,ida@fern-crafts.example,Verified,,,,,,,Cold,3,,http://www.fern-crafts.example,,Lyon,France,France,,ap-2,ac-2,,',
  ],
  fields: {
    'First Name': 'contact.first_name',
    'Last Name': 'contact.last_name',
    Title: 'contact.title',
    Company: 'name',
    Email: 'contact.emails.0.email',
    'Email Status': 'contact.emails.0.status',
    'Work Direct Phone': 'contact.phones.0.phone',
    'Home Phone': 'contact.phones.1.phone',
    'Mobile Phone': 'contact.phones.2.phone',
    'Corporate Phone': 'contact.phones.3.phone',
    'Person Linkedin Url': 'contact.profile_url',
    Website: 'domain',
    'Company Country': 'country',
    'Apollo Contact Id': 'contact.external_id',
    'Secondary Email': 'contact.emails.1.email',
    'Secondary Email Status': 'contact.emails.1.status',
  },
  second: ['Country'],
}

const outlook: Exporter = {
  name: 'contacts of Outlook',
  kind: contactImportKind,
  delimiter: ',',
  rows: [
    'Title,First Name,Middle Name,Last Name,Suffix,Company,Department,Job Title,Business Street,Business Fax,Business Phone,Business Phone 2,Home Phone,Mobile Phone,Pager,Birthday,E-mail Address,E-mail Type,E-mail 2 Address,E-mail 2 Type,E-mail 2 Display Name,Notes,Domain',
    'Ms.,Mara,,Lindqvist,,Willow Teas,Marketing,Head of Marketing,1 Mill Lane,,+442079460123,+442079460124,,+447700900123,,,mara@willow-teas.example,,m.lindqvist@willow-teas.example,,Mara,,willow-teas.example',
    ',Ida,,Moss,,Fern Crafts,,Founder,,,,,,,,,ida@fern-crafts.example,,,,,,fern-crafts.example',
  ],
  fields: {
    'First Name': 'first_name',
    'Last Name': 'last_name',
    Department: 'role',
    'Job Title': 'title',
    'Business Phone': 'phones.0.phone',
    'Business Phone 2': 'phones.1.phone',
    'Home Phone': 'phones.2.phone',
    'Mobile Phone': 'phones.3.phone',
    'E-mail Address': 'emails.0.email',
    'E-mail Type': 'emails.0.type',
    'E-mail 2 Address': 'emails.1.email',
    'E-mail 2 Type': 'emails.1.type',
    Domain: 'store_domain',
  },
  second: ['Title'],
}

const google: Exporter = {
  name: 'contacts of Google',
  kind: contactImportKind,
  delimiter: ',',
  rows: [
    'First Name,Middle Name,Last Name,Phonetic First Name,Nickname,Organization Name,Organization Title,Organization Department,Birthday,Notes,Photo,Labels,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Label,E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value,Company domain',
    'Mara,,Lindqvist,,,Willow Teas,Head of Marketing,Marketing,,,,* myContacts,Work,mara@willow-teas.example,Other,m.lindqvist@willow-teas.example,Mobile,+447700900123,willow-teas.example',
    'Ida,,Moss,,,Fern Crafts,Founder,,,,,* myContacts,Work,ida@fern-crafts.example,,,,,fern-crafts.example',
  ],
  fields: {
    'First Name': 'first_name',
    'Last Name': 'last_name',
    'Organization Title': 'title',
    'Organization Department': 'role',
    'E-mail 1 - Value': 'emails.0.email',
    'E-mail 2 - Value': 'emails.1.email',
    'Phone 1 - Value': 'phones.0.phone',
    'Company domain': 'store_domain',
  },
}

const shopify: Exporter = {
  name: 'shops of Shopify',
  kind: storeImportKind,
  delimiter: ',',
  rows: [
    'id,name,email,domain,myshopify_domain,province,country,country_code,country_name,city,phone,plan_name,shop_owner,created_at,iana_timezone',
    '11,Willow Teas,hello@willow-teas.example,willow-teas.example,willow-teas.myshopify.com,England,GB,GB,United Kingdom,Leeds,+442079460123,basic,Nora Finch,2019-03-01T08:00:00+00:00,Europe/London',
    '12,Fern Crafts,hello@fern-crafts.example,fern-crafts.example,fern-crafts.myshopify.com,,FR,FR,France,Lyon,,plus,Ida Moss,2021-06-11T08:00:00+00:00,Europe/Paris',
  ],
  fields: {
    name: 'name',
    domain: 'domain',
    myshopify_domain: 'aliases',
    country: 'country',
    created_at: 'store_created_at.estimate',
  },
  second: ['country_code', 'country_name'],
}

const german: Exporter = {
  name: 'a German customer list',
  kind: storesOfBothKind,
  delimiter: ';',
  rows: [
    'Firma;Webseite;Land;Branche;Vorname;Name;Berufsbezeichnung;E-Mail-Adresse;Telefon;Handy;Ort',
    'Weidentee;www.willow-teas.example;Deutschland;;Mara;Lindqvist;Leiterin Marketing;mara@willow-teas.example;030 23125000;;Leipzig',
    'Farnkunst;fern-crafts.example;Österreich;;Ida;Moos;Gründerin;ida@fern-crafts.example;;;Linz',
  ],
  fields: {
    Firma: 'name',
    Webseite: 'domain',
    Land: 'country',
    Branche: 'category',
    Vorname: 'contact.first_name',
    Name: 'contact.last_name',
    Berufsbezeichnung: 'contact.title',
    'E-Mail-Adresse': 'contact.emails.0.email',
    Telefon: 'contact.phones.0.phone',
    Handy: 'contact.phones.1.phone',
  },
}

const exporters = [
  hubspotCompanies,
  hubspotContacts,
  salesforceAccounts,
  salesforceLeads,
  apollo,
  outlook,
  google,
  shopify,
  german,
]

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})
beforeEach(async () => {
  await catalogue.db.query('truncate stores, store_domains, contacts')
  await catalogue.importStores([{ domain: 'willow-teas.example' }, { domain: 'fern-crafts.example' }])
})

test.each(exporters)(
  '$name: every column is a field, or told of as none',
  ({ kind, delimiter, rows, fields, second }) => {
    const [header, ...body] = rows.map((row) => row.split(delimiter))
    const { columns, notices } = readHeader(kind, header!, {}, body)
    const read = columns.filter(({ field }) => field !== null).map(({ header, field }) => [header, field])
    expect(Object.fromEntries(read)).toEqual(fields)
    const unknown = columns.filter(({ how }) => how === 'unknown').map(({ header }) => header)
    expect(new Set([...Object.keys(fields), ...(second ?? []), ...unknown])).toEqual(new Set(header))
    expect(notices.map(({ reason }) => reason)).toEqual(
      (second ?? []).map((name) => expect.stringContaining(`the column "${name}" is not read`)),
    )
  },
)

test.each(exporters)('$name: the file is imported, without what is no field', async ({ kind, rows }) => {
  const input = { file: await catalogue.write('export.csv', rows.join('\r\n')), extendTaxonomy: false }
  const options = { ...input, map: { '*': '' } }
  if (kind === storeImportKind)
    expect(await importStores(catalogue.context, options)).toMatchObject({ read: 2, rejected: 0, problems: [] })
  else if (kind === contactImportKind)
    expect(await importContacts(catalogue.context, options)).toMatchObject({ inserted: 2, rejected: 0, problems: [] })
  else {
    const { stores, contacts } = await importStoresAndContacts(catalogue.context, options)
    expect(stores).toMatchObject({ read: 2, rejected: 0, problems: [] })
    expect(contacts).toMatchObject({ inserted: 2, rejected: 0, problems: [] })
  }
})

const words: [language: string, header: string][] = [
  ['de', 'Unternehmen;Internetseite;Land;Branche'],
  ['fr', 'Société;Site web;Pays;Secteur d’activité'],
  ['es', 'Empresa;Página web;País;Sector'],
  ['it', 'Azienda;Sito web;Paese;Settore'],
  ['nl', 'Bedrijfsnaam;Webadres;Land;Branche'],
  ['pt', 'Empresa;Domínio;País;Setor'],
  ['pl', 'Nazwa firmy;Strona WWW;Kraj;Branża'],
  ['ja', '会社名;ウェブサイト;国;業種'],
  ['zh', '公司名称;网址;国家;行业'],
]
test.each(words)('a header of stores in the language %s is read', (_language, header) => {
  const fields = readHeader(storeImportKind, header.split(';'), {}).columns.map(({ field }) => field)
  expect(fields).toEqual(['name', 'domain', 'country', 'category'])
})

const people: [language: string, header: string][] = [
  ['de', 'Webseite;Vorname;Nachname;Berufsbezeichnung;E-Mail;Telefonnummer;Handy'],
  ['fr', 'Site internet;Prénom;Nom;Poste;Adresse e-mail;Téléphone;Portable'],
  ['es', 'Sitio web;Nombre;Apellidos;Cargo;Correo electrónico;Teléfono;Móvil'],
  ['it', 'Sito;Nome;Cognome;Qualifica;Indirizzo email;Telefono;Cellulare'],
  ['nl', 'Website;Voornaam;Naam;Functie;E-mailadres;Telefoon;Mobiel'],
  ['pt', 'Site;Nome;Sobrenome;Cargo;E-mail;Telefone;Celular'],
  ['pl', 'Strona;Imię;Nazwisko;Stanowisko;E-mail;Telefon;Telefon komórkowy'],
  ['ja', 'サイト;名;姓;役職;メールアドレス;電話番号;携帯電話'],
  ['zh', '官网;名;姓;职位;邮箱;电话;手机'],
  ['zh', '网站;名字;姓氏;职位;电子邮件;电话;手机号'],
]
test.each(people)('a header of people in the language %s is read', (_language, header) => {
  const fields = readHeader(contactImportKind, header.split(';'), {}).columns.map(({ field }) => field)
  expect(fields).toEqual([
    ...['store_domain', 'first_name', 'last_name', 'title'],
    ...['emails.0.email', 'phones.0.phone', 'phones.1.phone'],
  ])
})
