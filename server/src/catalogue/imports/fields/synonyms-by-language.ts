/**
 * What people call the fields of a record in German, French, Spanish, Italian, Dutch, Portuguese, Polish, Japanese and
 * Chinese. A word that also means something else is missing: `Titel` can be a doctor's, `Umsatz` that of a year.
 */
import type { Synonyms } from './meanings.ts'

/** Words between commas, so that a language is a line. */
const words = (...lines: string[]) => lines.flatMap((line) => line.split(', '))

const website = words(
  'webseite, internetseite, internetadresse, webadresse, domäne, domain-name',
  'site web, site internet, adresse web, adresse du site, url du site, domaine, nom de domaine',
  'sitio web, página web, dominio, nombre de dominio, sitio, url del sitio',
  'sito web, sito, sito internet, nome a dominio, pagina web, indirizzo web',
  'webadres, domein, domeinnaam, websiteadres',
  'domínio, nome de domínio, endereço web, url do site',
  'strona, strona internetowa, strona www, witryna, witryna internetowa, domena, adres www, adres strony, www',
  'ウェブサイト, webサイト, サイト, サイトurl, ウェブサイトurl, ドメイン, ドメイン名, ホームページ, ホームページurl',
  '网站, 网址, 官网, 官方网站, 域名, 网站地址, 網站, 網址, 官網, 官方網站, 網域',
)

export const storeWords: Synonyms = {
  domain: website,
  name: words(
    'firma, firmenname, unternehmen, unternehmensname, shopname, name des shops, marke, betrieb, geschäft',
    'entreprise, société, raison sociale, enseigne, boutique, marque, nom commercial, nom',
    "nom de la société, nom de l'entreprise, nom de la boutique",
    'empresa, compañía, razón social, tienda, marca, negocio, nombre comercial, nombre',
    'nombre de la empresa, nombre de la tienda',
    "azienda, società, ragione sociale, negozio, marchio, impresa, ditta, nome azienda, nome dell'azienda",
    'nome negozio, nome',
    'bedrijf, bedrijfsnaam, winkel, winkelnaam, onderneming, merk, organisatie, naam',
    'nome da empresa, loja, nome da loja, nome fantasia, companhia, negócio',
    'nazwa firmy, przedsiębiorstwo, sklep, nazwa sklepu, marka, nazwa, spółka',
    '会社, 会社名, 企業, 企業名, 法人名, 店名, 店舗名, ショップ名, ストア名, ブランド, ブランド名, 屋号',
    '公司, 公司名, 公司名称, 企业, 企业名称, 店铺, 店铺名称, 商店名称, 品牌, 品牌名称, 商家, 公司名稱, 企業名稱, 店鋪名稱',
  ),
  aliases: words(
    'weitere domains, andere domains, autres domaines, otros dominios, altri domini, andere domeinen',
    'outros domínios, inne domeny, その他のドメイン, 其他域名',
  ),
  category: words(
    'branche, kategorie, industrie, sektor, wirtschaftszweig',
    "secteur, secteur d'activité, catégorie",
    'sector, sector de actividad, industria, categoría, rubro',
    'settore, settore merceologico, categoria',
    'categorie, bedrijfstak',
    'setor, setor de atividade, indústria, segmento, ramo, ramo de atividade',
    'branża, kategoria, przemysł',
    '業種, 業界, カテゴリ, カテゴリー',
    '行业, 所属行业, 类别, 品类, 行業, 類別, 主营类目',
  ),
  country: words(
    'land, ländercode, landeskürzel, pays, code pays, país, código de país, código país, paese, nazione, codice paese',
    'landcode, código do país, kraj, kod kraju, państwo',
    '国, 国名, 国コード, 国・地域, 国家, 国家代码, 国家/地区, 國家, 國家/地區',
  ),
  traffic_tier: words(
    'besuche pro monat, monatliche besuche, besucher pro monat, visites mensuelles, trafic mensuel, visitas mensuales',
    'tráfico mensual, visite mensili, traffico mensile, maandelijkse bezoeken, bezoeken per maand, visitas mensais',
    'tráfego mensal, miesięczne wizyty, wizyty miesięcznie, 月間訪問数, 月間アクセス数, 月访问量, 月流量',
  ),
  revenue_tier: words(
    "monatsumsatz, monatlicher umsatz, umsatz pro monat, chiffre d'affaires mensuel, revenu mensuel, ingresos mensuales",
    'ventas mensuales, facturación mensual, fatturato mensile, ricavi mensili, maandomzet, maandelijkse omzet',
    'receita mensal, faturamento mensal, vendas mensais, miesięczny przychód, przychód miesięczny',
    '月商, 月間売上, 月間売上高, 月收入, 月销售额, 月营收',
  ),
  active_ads: words(
    'aktive anzeigen, publicités actives, annonces actives, anuncios activos, annunci attivi, inserzioni attive',
    'actieve advertenties, anúncios ativos, aktywne reklamy, 広告数, 活跃广告数, 广告数量',
  ),
  'store_created_at.estimate': words(
    'gegründet, gegründet am, gründungsjahr, gründungsdatum, année de fondation, date de fondation',
    'año de fundación, fecha de fundación, anno di fondazione, data di fondazione, opgericht, oprichtingsjaar',
    'oprichtingsdatum, ano de fundação, data de fundação, rok założenia, data założenia',
    '設立, 設立年, 設立日, 創業年, 成立时间, 成立日期, 成立年份',
  ),
  'technologies.apps': words(
    'installierte apps, technologien, applications, tecnologías, aplicaciones, tecnologie, applicazioni, technologieën',
    'tecnologias, aplicativos, technologie, aplikacje, アプリ, 導入アプリ, テクノロジー, 应用, 已安装应用, 技术栈',
  ),
  'technologies.theme.name': words('thème, tema, thema, motyw, テーマ, テーマ名, 主题, 主题名称'),
}

export const contactWords: Synonyms = {
  store_domain: [
    ...website,
    ...words(
      "firmenwebsite, firmenwebseite, unternehmenswebsite, site de l'entreprise, site de la société",
      "sitio web de la empresa, sito aziendale, sito dell'azienda, bedrijfswebsite, site da empresa, strona firmy",
      '会社のウェブサイト, 会社url, 企業サイト, 公司网站, 公司网址, 公司域名, 公司網站',
    ),
  ],
  first_name: words('vorname, prénom, nombre de pila, primer nombre, voornaam, primeiro nome, nome próprio, imię'),
  last_name: words(
    'nachname, familienname, zuname, nom de famille, apellido, apellidos, primer apellido, cognome, achternaam',
    'familienaam, sobrenome, apelido, nazwisko, 姓, 姓氏, 苗字',
  ),
  full_name: words(
    'vollständiger name, voller name, vor- und nachname, ansprechpartner, ansprechpartnerin, kontaktperson',
    'nom complet, nom et prénom, prénom et nom, nom, interlocuteur',
    'nombre completo, nombre y apellidos, nombre, persona de contacto',
    'nome completo, nome e cognome, nome, persona di contatto, referente',
    'volledige naam, naam, contactpersoon',
    'nome e sobrenome, pessoa de contato, pessoa de contacto',
    'imię i nazwisko, osoba kontaktowa',
    '氏名, 名前, お名前, 担当者, 担当者名, 姓名, 名字, 联系人, 联系人姓名, 聯絡人',
  ),
  title: words(
    'berufsbezeichnung, stellenbezeichnung, jobtitel, funktion, tätigkeit, beruf',
    'poste, intitulé du poste, fonction, titre du poste',
    'cargo, puesto, puesto de trabajo, título del puesto',
    'qualifica, posizione, ruolo, mansione, posizione lavorativa',
    'functie, functietitel, functienaam',
    'função, título do cargo',
    'stanowisko, stanowisko pracy',
    '役職, 役職名, 肩書き, 肩書, 職位, 职位, 职务, 头衔, 職稱, 職務',
  ),
  role: words('abteilung, departamento, reparto, dipartimento, afdeling, dział, 部署, 部署名, 部門, 部门'),
  seniority: words('hierarchieebene, niveau hiérarchique, nivel jerárquico, livello gerarchico, 职级'),
  profile_url: words(
    'linkedin-profil, profil linkedin, perfil de linkedin, perfil linkedin, profilo linkedin, linkedin-profiel',
    'perfil do linkedin, linkedinプロフィール, 领英, 领英主页',
  ),
  'emails.0.email': words(
    'mailadresse, e-mail-adresse, geschäftliche e-mail, courriel, adresse e-mail, adresse mail, adresse courriel',
    'adresse électronique, correo, correo electrónico, dirección de correo, dirección de correo electrónico',
    'posta elettronica, indirizzo e-mail, e-mailadres, mailadres, endereço de e-mail, correio eletrônico',
    'correio eletrónico, adres e-mail, メール, メールアドレス, eメール, 電子メール',
    '邮箱, 电子邮件, 电子邮箱, 邮箱地址, 邮件地址, 電子郵件, 電子郵箱',
  ),
  'phones.0.phone': words(
    'telefon, telefonnummer, tel.-nr., tel nr, rufnummer, handy, handynummer, mobil, mobilnummer, mobiltelefon',
    'mobiltelefonnummer, festnetz, festnetznummer',
    'téléphone, tél, numéro de téléphone, n° de téléphone, téléphone portable, portable, téléphone mobile',
    'téléphone fixe, téléphone professionnel, ligne directe',
    'teléfono, número de teléfono, móvil, teléfono móvil, celular, teléfono celular, teléfono fijo',
    'telefono, numero di telefono, cellulare, telefono cellulare, numero di cellulare, telefono fisso',
    'telefoon, telefoonnummer, mobiel, mobiele telefoon, mobiel nummer, gsm',
    'telefone, número de telefone, telemóvel, telefone celular, telefone fixo',
    'numer telefonu, nr telefonu, telefon komórkowy, komórka, telefon stacjonarny',
    '電話, 電話番号, 携帯, 携帯電話, 携帯番号, 携帯電話番号, 固定電話',
    '电话, 电话号码, 联系电话, 手机, 手机号, 手机号码, 座机, 電話號碼, 聯絡電話, 手機, 手機號碼',
  ),
}
