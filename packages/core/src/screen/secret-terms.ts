// Names of secrets by language. The notation is explained in term-patterns.ts.
//
// Personal data that proves nothing by itself (passport, account names) is left out on purpose, and so are a bare `key`
// and a bare `code`: far more fields mean a key of a song or a code of a country. Words that names join with a capital are
// written apart here (`git hub`), which finds `github`, `GitHub` and `git hub`.

/** Names that mean only secrets. They match unless the words around them exclude it. */
export const certainTerms = {
  en: `
    2fa code | 6 digits from phone | access key | access token | account key | admin pass | api key | api secret
    api token | *apikey* | app code | auth cookie | auth token | authentication code | authenticator code
    authorization header | authorization token | backup code | bank account number | bearer token | bit bucket pat
    card number | card pin | card verification | cc number | client secret | code by email | code by sms
    code by text | code from app
    code from authenticator | code from email | code from phone | code from sms | code in authenticator
    code in authenticator app | code in google authenticator | code on phone | code sent to phone
    code to email | code to phone
    code shown in authenticator | code shown in authenticator app | code shown on phone | code we sent
    connection string | credential | credit card | cvc | cvv | db pass | debit card | decryption key | deploy key
    dev ops pat | digit code | digits from app | digits from authenticator | digits from authenticator app
    digits in authenticator | digits in authenticator app | digits in google authenticator
    digits shown in authenticator | digits shown in authenticator app | digits shown in google authenticator
    encryption key | factor code | ftp pass | ghp | git hub pat | git lab pat | iban | jira pat | login code | login pin
    master key | mfa code | mother maiden name | mother s maiden name | number on back of card | number on card
    number on front of card | one time code | otp | pass code | pass phrase | pass word | *passcode* | *passphrase*
    *passwd* | *password* | priv key | private key | *pwd | recovery code | recovery key | recovery phrase
    recovery word | refresh token | role key | root pass | secret access key | secret key | secret phrase
    secret token | security code | seed phrase | seed word | service account key | session cookie | session token
    signing key | six digits from phone | sms code | smtp pass | social insurance number | social security no
    social security number | ssh key | ssn | totp | user pass | value starting with ghp | value that starts with ghp
    verification code | webhook secret
    words of mnemonic | words of recovery phrase | words of secret phrase | words of seed phrase | words of wallet`,
  ar: `
    *الرقم السري* | *المفتاح الخاص* | *المفتاح السري* | *بطاقة الائتمان* | *بيانات الاعتماد* | *رقم البطاقة*
    *رمز الأمان* | *رمز التحقق* | *رمز الدخول* | *رمز الوصول* | *عبارة الاسترداد* | *كلمة السر* | *كلمة المرور*
    *كلمة سر* | *كلمة مرور* | *مفتاح api*`,
  de: `
    *anmeldedaten* | api schlüssel* | *bestätigungscode* | *einmalcode* | geheime* schlüssel* | *geheimschlüssel*
    *geheimzahl* | *kartennummer* | *kartenprüfnummer* | *kennwort* | *kennwörter* | *passwort* | *passwörter*
    private* schlüssel* | *sicherheitscode* | *wiederherstellungscode* | *wiederherstellungsphrase* | *zugangscode*
    *zugangsdaten* | *zugangstoken* | *zugriffstoken*`,
  es: `
    clave* acceso | clave* api | clave* privada* | clave* secreta* | *contraseña* | credencial* | código* seguridad
    código* verificación | frase recuperación | frase semilla | número tarjeta | tarjeta crédito | token acceso`,
  fr: `
    carte bancaire | clé* api | clé* privée* | clé* secrète* | code confidentiel | code secret | code vérification
    identifiants connexion | jeton accès | mdp | mot* passe | numéro carte | phrase récupération | phrase secrète`,
  it: `
    carta credito | chiav* api | chiav* privat* | chiav* segret* | codice segreto | codice sicurezza
    codice verifica | credenzial* | frase recupero | numero carta | parola ordine | token accesso`,
  ja: `
    *apiキー* | *アクセストークン* | *カード番号* | *クレジットカード* | *シークレットキー* | *パスフレーズ* | *パスワード* | *リカバリーフレーズ* | *暗証番号* | *確認コード*
    *秘密鍵* | *認証コード*`,
  ko: `
    *api 키* | *개인 키* | *복구 문구* | *비밀 키* | *비밀번호* | *암호* | *액세스 토큰* | *인증 코드* | *인증번호* | *자격 증명* | *카드 번호*`,
  nl: `
    api sleutel* | beveiligingscode* | geheime sleutel* | herstelzin | inloggegevens | *kaartnummer* | privésleutel*
    *toegangscode* | *toegangstoken* | verificatiecode* | *wachtwoord*`,
  pl: `
    dane logowania | fraz* odzyskiwania | haseł | hasła | hasłem | hasło | klucz* api | klucz* prywatn*
    klucz* tajn* | kod* weryfikacyjn* | numer* karty | token* dostępu`,
  pt: `
    cartão crédito | chave* api | chave* privada* | chave* secreta* | credenciais | código* segurança
    código* verificação | número cartão | palavra passe | senha* | token acesso`,
  ru: `
    api ключ* | закрыт* ключ* | ключ* api | код* из sms | код* из смс | код* подтверждения | кодов* слов*
    кодов* фраз* | номер* карт* | одноразов* код* | парол* | пин код* | приватн* ключ* | секретн* ключ* | сид фраз*
    токен* доступа | учетн* данн*`,
  tr: `
    api anahtar* | doğrulama kod* | erişim belirtec* | gizli anahtar* | kart numara* | kimlik bilgiler*
    kredi kart* | kurtarma ifade* | parola | parolan* | pin kod* | sms kod* | özel anahtar* | şifre*`,
  zh: `
    *令牌* | *信用卡* | *助記詞* | *助记词* | *卡号* | *卡號* | *口令* | *安全码* | *密码* | *密碼* | *密鑰* | *密钥* | *登录凭证* | *私鑰* | *私钥*
    *金鑰* | *驗證碼* | *验证码*`,
  more: `
    adgangskode* | heslo* | jelszó* | *kata sandi* | lösenord* | *mật khẩu* | salasana* | κωδικ* πρόσβασης
    συνθηματικ* | *पासवर्ड* | *รหัสผ่าน*`,
} as const

/** Names that also have everyday meanings. They match only at the end of a phrase: `deploy token`, not `token limit`. */
export const doubtfulTerms = `
    2fa | bearer | jwt | mfa | mnemonic | pin | pin code | pw | secret | token | пин | секрет | токен* | トークン | 토큰`

/** Files that contain secrets. They match only where their content is requested, not where such a file is mentioned. */
export const secretFiles = `
    dotenv | dotenv file | env file | id dsa | id ecdsa | id ed 25519 | id rsa`
