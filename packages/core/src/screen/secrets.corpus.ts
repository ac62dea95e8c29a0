// Test data: phrases that ask for a secret and phrases that only mention one, each with the part of the question it is in.
//
// We wrote the phrases ourselves, so they measure the cases that we thought of. The held-out blocks were written before
// the first run and not used for tuning; the results of the first run are recorded in the test.

export type CorpusPart = 'name' | 'title' | 'description' | 'message'
export interface Phrase {
  readonly place: CorpusPart
  readonly text: string
}

export const asking: readonly Phrase[] = read(`
name: password | Password | PASSWORD | userPassword | user_password | db-password | passwordConfirm | confirmPassword
name: newPassword | old_password | password2 | passwd | pwd | db_pwd | adminPwd | rootpassword | passphrase | passcode
name: apiKey | api_key | API_KEY | apikey | openaiApiKey | OPENAI_API_KEY | stripeSecretKey | secret_key | secretKey
name: accessToken | access_token | refreshToken | bearerToken | authToken | token | githubToken | GITHUB_TOKEN
name: slack_bot_token | idToken | sessionToken | csrfToken | privateKey | private_key | sshKey | ssh_private_key
name: clientSecret | client_secret | appSecret | secret | webhookSecret | signingSecret | awsSecretAccessKey
name: encryptionKey | signing_key | masterKey | seedPhrase | seed_phrase | recoveryPhrase | mnemonic | credentials
name: connectionString | connection_string | cardNumber | card_number | creditCard | creditCardNumber | cvv | cvc | cvv2
name: iban | IBAN | otp | otpCode | totp | mfaCode | twoFactorCode | 2faCode | smsCode | verificationCode | pin | userPin
name: cardPin | backupCode | recovery_code | jwt | authorizationHeader | sessionCookie | passwort | contraseña | senha
name: motDePasse | mot_de_passe | mdp | wachtwoord | hasło | haslo | пароль | 密码 | 密碼 | パスワード | 비밀번호 | şifre
name: p_a_s_s_w_o_r_d | passw0rd | p4ssw0rd | pаssword | pаsswоrd | ｐａｓｓｗｏｒｄ | pass\u200bword | ap\u00adiKey | t0ken
name: accessKey | personalAccessToken | service_account_key | deployKey | sasToken | hmacSecret | jwtSecret | dbCredentials

title: Password | Your password | New password | Confirm password | Password (again) | Current password *
title: API key | Your OpenAI API key | API Key (optional) | API token | Access token | Personal access token
title: Private key | SSH private key | PEM private key | Secret key | Client secret | Seed phrase | 12-word recovery phrase
title: Credit card number | Card number | CVV | Security code | IBAN | PIN | PIN code | One-time code | 6-digit code from your app
title: What is your password? | What's the API key? | Which password do you use for the database?
title: Password for the admin account | The master password of your vault | Token from the GitHub settings page
title: Database connection string | Login credentials | AWS credentials | P a s s w o r d | P.A.S.S.W.O.R.D | Pa$$word
title: Passwort | Ihr Passwort | Kennwort wiederholen | API-Schlüssel | Privater Schlüssel | Zugangsdaten | Geheimzahl
title: Kreditkartennummer | Bestätigungscode | Mot de passe | Nouveau mot de passe | Clé API | Clé d'API | Clé privée
title: Jeton d'accès | Numéro de carte | Code de vérification | Contraseña | Clave privada | Clave de API | Clave de acceso
title: Número de tarjeta | Código de verificación | Token de acceso | Frase de recuperación | Senha | Palavra-passe
title: Chave privada | Chave de API | Número do cartão | Código de verificação | Parola d'ordine | Chiave privata
title: Chiave API | Numero di carta | Codice di verifica | Credenziali di accesso | Wachtwoord | API-sleutel | Kaartnummer
title: Hasło | Klucz prywatny | Klucz API | Numer karty | Kod weryfikacyjny | Пароль | Ваш пароль | Приватный ключ
title: Секретный ключ | Номер карты | Код подтверждения | 请输入密码 | 私钥 | API 密钥 | 访问令牌 | 验证码 | 助记词 | 银行卡号
title: パスワード | 暗証番号 | 秘密鍵 | APIキー | アクセストークン | 認証コード | カード番号 | 비밀번호 | 개인 키 | API 키 | 인증번호
title: 카드 번호 | Şifre | Parolanız | Özel anahtar | API anahtarı | Kart numarası | Doğrulama kodu | كلمة المرور | كلمة السر
title: المفتاح الخاص | رمز التحقق | رقم البطاقة

description: As kept in the vault of the team, your master password | Enter your password | Please enter the password for the database. | Paste your API key here.
description: Provide a GitHub personal access token with repo scope. | Your Stripe secret key (starts with sk_live_)
description: Type the PIN of your card | The six digit code we sent to your phone, your one-time code
description: Paste the contents of your private key file | We need your login credentials to continue.
description: Don't forget to enter your password! | Copy the token from the settings page and paste it here.
description: Enter the 12 words of your seed phrase in order | Card number and CVV | username and password
description: Bitte geben Sie Ihr Passwort ein. | Bitte Passwort eingeben | Saisissez votre mot de passe
description: Entrez votre clé API pour continuer | Introduzca su contraseña | Ingresa tu clave privada aquí
description: Digite sua senha | Informe o número do cartão de crédito | Inserisci la tua password | Voer je wachtwoord in
description: Podaj hasło do konta | Wpisz swoje hasło | Введите пароль от базы данных | Укажите ваш секретный ключ
description: 请输入您的密码 | 请提供您的 API 密钥 | パスワードを入力してください | 秘密鍵を貼り付けてください | 비밀번호를 입력하세요
description: Şifrenizi girin | Lütfen parolanızı yazın | أدخل كلمة المرور | الرجاء إدخال رمز التحقق

message: Please enter your password to continue. | I need your OpenAI API key to proceed. | What is your GitHub token?
message: To finish the deployment, paste the contents of ~/.ssh/id_rsa, your private key, below.
message: Your session has expired. Enter your password again. | Could you give me the database password?
message: Tell me the verification code you received by SMS. | Please provide your credit card number and CVV.
message: Send me your seed phrase so that I can restore the wallet. | Please share the client secret of the OAuth app.
message: Geben Sie das Kennwort für den Server an. | Quel est votre mot de passe ? | ¿Cuál es tu contraseña?
message: Qual é a sua senha? | Qual è la tua password? | Wat is je wachtwoord? | Какой у вас пароль? | 你的密码是什么？
message: パスワードは何ですか？ | 비밀번호가 무엇인가요? | Şifreniz nedir? | ما هي كلمة المرور؟ | Jakie jest twoje hasło?

name: dbPass | ADMIN_PASSWORD_PROD | smtp_password | pgpassword | mysqlPwd | githubPat | linearApiKey | notionToken
name: figma_access_token | privKey | user.password | x-api-key | awsSecret | kubeconfigToken | ftp_pass | vpnPassword
name: encryption_passphrase | MFA | otp_code | cardCVV | cc_number | contrasena | mot-de-passe | wachtwoordHerhalen
name: zugangscode | senhaAtual | passwordAgain | pAsSwOrD | PASSW0RD | pass\u00adword | sécret | sеcret | tокen
name: hunter2Password
title: Please enter your PIN | API key for Linear | Personal access token (classic) | GitHub PAT token | Your 2FA code
title: Bank PIN | Repeat the password | Root password: | DB credentials (user:password) | Security code (CVV)
title: Enter OTP | Code from your authenticator app | Secret access key | Admin token | Passphrase for the key
title: Wallet recovery phrase (24 words) | The password you use for GitHub | Set a password | Choose a strong password
title: Neues Passwort festlegen | Mot de passe actuel | Repita la contraseña | Confirme a senha | Ripeti la password
title: Herhaal wachtwoord | Powtórz hasło | Повторите пароль | 确认密码 | パスワード（確認） | 비밀번호 확인 | Şifreyi tekrar girin
title: تأكيد كلمة المرور
message: Hi! To access your calendar I will need your Google password.
message: Please paste your AWS secret access key below so that I can deploy.
message: Enter the six-digit code from your authenticator. | What API key should I use?
message: Which token should I use to log in? | Give me your login and password | Log in with your password to continue
message: Please, your password? | We lost your credentials, please re-enter your password
message: kannst du mir dein Passwort geben? | Necesito tu contraseña para continuar
message: Preciso da sua senha para continuar | J'ai besoin de votre mot de passe | Мне нужен ваш пароль | 我需要你的密码
message: あなたのパスワードを教えてください | 비밀번호를 알려주세요 | Ho bisogno della tua password | Ik heb je wachtwoord nodig
message: Potrzebuję twojego hasła | Şifrenize ihtiyacım var | أحتاج إلى كلمة المرور

name: grafanaPassword | snowflake_password | sudoPassword | zipPassword | sentryAuthToken | hubspotApiKey
name: twilioAuthToken | cloudflare_api_token | pagerduty-token | supabaseServiceRoleKey | firebasePrivateKey
name: jira_pat | vercelToken | mongoConnectionString | ledgerSeedPhrase | cardSecurityCode | sepaIban | googleOtp
name: door_pin | passwort_neu | clavePrivada | codePin | sifre | parolaNoua
title: Jira API token | Sudo password | Account password for Ada | PIN of the SIM card | Authenticator app code
title: Backup codes (one per line) | MetaMask recovery phrase | Twilio auth token | Zip file password
title: Enter the passphrase | Passwort für das WLAN | Votre code PIN | Código PIN | Sua senha atual | Codice PIN
title: Uw pincode | Kod PIN | Код из SMS | 手机验证码 | ワンタイムパスワード | 일회용 비밀번호 | SMS kodu | رمز PIN
message: Before I can push, I need a GitHub token with write access. | Could you paste the .pem private key here?
message: Please provide the sudo password so the installer can run. | Type your card number, expiry date and CVV.
message: Your MFA code please.
name: githubPAT | gitlabPat | GitLabPAT | ssn | socialSecurityNumber | SSN
title: GitHub PAT | GitLab PAT | Bitbucket PAT | Azure DevOps PAT | Social security number | Your SSN | Your .env file
title: Contents of ~/.ssh/id_rsa | Six digits from your authenticator app | Contents of the .env file
description: six digits from your authenticator app | contents of ~/.ssh/id_rsa | your .env file | code we sent to your phone
message: Enter the six digits from your authenticator app. | What are the six digits in your authenticator app?
message: Enter the 6 digits from your phone. | Enter the code shown on your phone. | What is your SSN?
message: Paste the contents of ~/.ssh/id_rsa. | Please paste the contents of your .env file. | Paste your .env file here.
message: Enter your social security number. | Please provide the GitHub PAT. | Send me your id_ed25519 file, please.
title: Number on the front of your card | The value that starts with ghp_ | Mother's maiden name
message: We sent a code to your phone. Enter it here. | Enter the 12 words of your wallet | We texted a code to your phone.
message: Paste the output of aws configure export-credentials | กรอกรหัสผ่านของคุณ | Εισάγετε τον κωδικό πρόσβασης
message: Paste the value that starts with ghp_ | Enter the number on the back of your card.
message: Give me the code shown in your authenticator app. | I need the six digits shown in Google Authenticator.
`)

export const harmless: readonly Phrase[] = read(`
title: 2fa06f4c90864b75b7ac35ed25bbfa84 | c4nary92xce2fa846f14540a0a08c94c02615884f | 37d2fa2ec47e4aa5a0575629ec5cf05d6a1b0c2d
name: tokenCount | maxTokens | max_tokens | token_limit | tokens | inputTokens | totalTokenUsage | tokenBudget | tokenSymbol
name: passwordPolicyName | passwordPolicy | password_length | passwordExpiryDays | passwordManager | passwordStrength
name: resetPassword | forgotPassword | passwordResetUrl | hasPassword | isPasswordProtected | passwordless | showPassword
name: secretSantaName | secretName | secret_id | secretary | secretaryEmail | secretIngredient | secretVersion
name: keyboard | keyboardLayout | keyName | key | keys | publicKey | public_key | primaryKey | sortKey | partitionKey
name: foreignKey | keyId | key_id | apiKeyName | api_key_id | accessKeyId | sshPublicKey | keynote | monkey | turkey | hotkey
name: passport | passportNumber | compass | bypass | passenger | passengers | passRate | passed | passThreshold | trespass
name: tokenizer | tokenizerName | tokenType | tokenName | token_expiry | tokenAddress | authorName | author | authority
name: pinned | pinnedMessage | spin | spinner | pinterest | opinion | shipping | pinMessage | pinColor | pin_to_top | pineapple
name: cardTitle | cardColor | cardHolder | businessCard | cardCount | cardType | creditScore | discard | cardLast4 | scorecard
name: name | email | city | country | reason | comment | title | region | replicas | branch | commitMessage | environment
name: code | zipCode | postalCode | countryCode | colorCode | errorCode | productCode | discountCode | codeReview | exitCode
name: credentialType | credentialName | accessLevel | accessReason | recoveryTime | seed | randomSeed | seedValue | recovery_email
name: phraseLength | catchphrase | certificateName | connectionName | connectionTimeoutMs | sessionName | session_length
name: privateNote | privateRepo | clientName | client_id | mnemonicName | cookieConsent | cookiePolicy | ibanCountry | otpEnabled
name: bearing | bearerName | jwtIssuer | encryption | encryptionAlgorithm | signature | signingRegion | masterBranch | ssh_host
name: contraste | desenha | schlusswort | hashtag | haslach | clavier | clef | chiave | schlüsselwort | mots | passage | sandbox

title: Name | Full name | Email address | Project name | Which region? | Number of replicas | Pick a key | Musical key | Tempo
title: Rotate the API key for the production cluster | Password policy name | Name of the API key | API key name | Which API key NAME should be rotated? | Token limit
title: Maximum number of tokens | Which secret should be deleted? | Secret name | Public key | SSH public key fingerprint
title: Reason for the password reset | Password manager | Preferred password manager | Password length | Minimum password length
title: Passport number | Primary key column | Partition key | Keyboard layout | Key result | Answer key | Key takeaway
title: Pin this message? | Pinned items | Number of pins | Secret Santa recipient | Secret ingredient | The secret of success
title: Trade secret category | Business card text | Credit card type | Card title | Color code | Zip code | Country code
title: Promo code | Error code | Code owner | Seed for the random generator | Recovery time objective | Connection name
title: Passwortrichtlinie | Name des API-Schlüssels | Schlüsselwort | Öffentlicher Schlüssel | Mot clé | Clé publique
title: Nom de la clé API | Palabra clave | Clave pública | Nombre de la clave | Palavra-chave | Chave pública | Parola chiave
title: Chiave pubblica | Sleutelwoord | Publieke sleutel | Słowo kluczowe | Klucz publiczny | Ключевое слово | Публичный ключ
title: Название ключа | 公钥 | 密码策略 | 密码学课程 | 关键词 | 密码长度 | キーワード | 公開鍵 | パスワードポリシー | 키워드 | 공개 키
title: 암호화폐 이름 | Anahtar kelime | Genel anahtar | المفتاح العام | الكلمة المفتاحية | كلمة | Token symbol | Tokens per minute

description: Never enter your password here. | Do not paste API keys or tokens. | Please don't include any passwords.
description: We will send a password reset link to this address. | The name of the secret in the vault, not its value.
description: How many tokens the model may use. | Identifies the API key; the key itself is never shown.
description: A short label for the API key. | The reason for revoking the token. | Number of days until the password expires.
description: The path of the private key on the server. | Which keyboard do you use? | Enter the name of the password policy.
description: Type DELETE to remove the secret. | Enter a label for the new access token. | Enter the email of the account owner.
description: The password was changed yesterday. | Used to sign in, without a password. | The key of the song, such as C minor.
description: Who should be told when the API key is rotated? | Country of the card issuer | Type of credential to create
description: Geben Sie niemals Ihr Passwort ein. | N'entrez jamais votre mot de passe ici. | No escriba su contraseña aquí.
description: Nunca digite sua senha aqui. | Non inserire mai la password. | Vul hier nooit je wachtwoord in. | Nie wpisuj hasła.
description: Никогда не вводите пароль. | 请勿输入密码 | パスワードを入力しないでください | 비밀번호를 입력하지 마세요 | Şifrenizi asla girmeyin
description: لا تدخل كلمة المرور | Passwords must not be shared. | Your password stays on this computer.

message: Should I rotate the API key for production? | I will delete the secret named db-prod. Which environment?
message: The access token has expired and was renewed. How should I continue? | Which key should the song be in?
message: I found a hard-coded password in config.ts. What should I do about it? | Pick a name for the new token.
message: The tests of the password screen fail. Describe the expected behaviour. | How many tokens may I spend?
message: Do not send me passwords or keys. What is the name of the project? | Choose the sort key for the table.
message: I removed the private key from the repository. Give a reason for the audit log. | Tell me which card to draw.
message: Enter a commit message for the change to the token parser. | Type the title of the page about API keys.
message: The login form asks for a password and a code. Which heading should it have? | Name the secret garden level.

name: maxTokensPerRequest | token_bucket_size | tokenIndex | passwordChangedAt | lastPasswordChange | secretsCount
name: apiKeyCreatedAt | keyRotationDays | sshHostAlias | credentialId | cardsPerPage | pinTimeout
name: pin_number_on_board | spinCount | codeword | encoding | decoder | passRatio | privateChannel | clientSecretName
name: tokenEndpoint | tokenUrl | jwtExpiry | otpLength | secretKeyRef | apiKeyHeaderName | passwordField
name: accessTokenUrl | authTokenType | ibanFormat | cvvRequired | seedCount | mnemonicLength | hasApiKey | useToken
name: webhookUrl | signatureAlgorithm | tokenBalance | tokenAmount | tokenId | nonFungibleToken
title: Your answer | Reason for rejecting | What should I name the token? | Who can see the secret?
title: How often should passwords rotate? | Minimum PIN length | Name your API key | Describe the access token flow
title: Secrets to rotate (comma separated names) | Path to the private key | Where is the credentials file?
title: Credit card expiry reminder (days) | Card number position | Which credit card brand? | Password field label
title: API key description | Token expiry in days | Color of the pin | Label for PIN | Title of the secret recipe
message: I am about to rotate the database password. What maintenance window suits you?
message: The API key was leaked in commit 12ab. How should I describe the incident? | Please name the new secret.
message: I cannot read the private key file. Where is it?
message: Your access token expires tomorrow. When should I renew it?
message: Deleting 3 tokens from the design system. Add a note?
message: The password field has no label. Which label should it get?
message: Which of the credentials should be archived? Give their ids. | How should the token refresh be tested?
message: I stored the password in your keychain. Anything else?
message: To continue, open the link; do not type your password here. | Provide the ticket number for the key rotation.
message: Write a summary of the password policy. | Enter the number of API keys to create.
message: Enter the name for the access token | Do you want to keep the old secret? Explain.
message: Das Passwort wurde geändert. Wie soll es weitergehen? | Le mot de passe a été changé. Que faire ?
message: La contraseña ha caducado. ¿Qué hago? | 密码已更改。接下来做什么？ | パスワードが変更されました。次はどうしますか？

name: tokenRing | designTokens | designTokenName | passwordHelpText | secretWeapon | topSecretLevel | keyDate
name: keyStakeholders | apiVersion | apiKeyScopes | cardLayout | cardDeckSize | codeStyle | pinnedVersion
name: pinDependencies | otpProvider | mfaMethod | credentialProvider | privateEndpoint | sessionDuration | seedUrl
name: seedData | walletName | walletAddress | accessLog | authFlow | tokenizationMethod | passType | boardingPass
name: seasonPass
title: Design token name | Password strength meter color | Secret project codename | Keyboard shortcut | Key signature
title: Wallet address | Release codename | QR code size | Error code to look up | How should we store passwords?
title: Explain the token bucket limit | Which pin on the board? | API key rotation schedule | Vault path of the secret
title: SSH host name | Seed data file | Card layout | Name of the credential | Login page headline
title: Welche Passwortregeln gelten? | Nombre del secreto | Name des Geheimnisses | Longueur minimale du mot de passe
title: Comprimento da senha | パスワードの有効期限 | 密码有效期（天） | 비밀번호 정책
message: The password reset email is ready. What subject line do you want?
message: I will add a token field to the settings page. Which label? | Should the secret be stored in Vault or in AWS?
message: The pull request renames apiKey to key. Any comments? | How do you want to handle expired tokens?
message: Write a short note for users whose passwords were reset. | Choose a codename for the secret project.
message: The test card number 4242 fails. What did you expect to happen? | Give the new credential a name.
message: Tell me when the certificate expires. | What is the maximum number of tokens? | What is the password policy?
message: Do you want me to delete the API key?
name: envFile | env_file | idRsaPath | pat | patName | pattern | gitHubRepo | gitlabUrl | ssnEnabled | sensors
title: Path to your .env file | Environment file | GitHub repository | Patch | Digits after the decimal point
title: Number of digits | Authenticator app name | id_rsa.pub | Public key (id_rsa.pub)
description: Path to id_rsa on this machine | The name of the .env file to load | Show the digits of the year
message: Should I create a .env file? | Which .env file should I load? | Your .env file is missing. Create one?
message: I will add id_rsa to the .gitignore. Which branch? | Which digits of the version should I raise?
message: The authenticator app is installed. Which account name should it show? | Do not paste your .env file here. Which region?
message: Add the area code to the phone number of Ann. Which one is it? | Paste the output of npm test.
message: Write the words of the title. | Which number is on the card in Trello? | We sent the report to your phone. Any comments?
message: Paste the path of your .env file. | Send the file to which phone?
`)

export const heldOutAsking: readonly Phrase[] = read(`
name: masterPassword | wifiPassword | passwordHash | smtpPass\u200bword | root_pw | keystorePassword | basicAuthPassword | loginPassword
name: ANTHROPIC_API_KEY | azureApiKey | api-secret | consumerSecret | oauthToken | npm_token | discordToken | x_auth_token
name: walletPrivateKey | gpgPrivateKey | rsa_private_key | sharedSecret | vaultToken | jwt_token | cardCvc | debitCardNumber
name: bankAccountNumber | oneTimePassword | authenticatorCode | emailVerificationCode | loginPin | securityCode | ѕecretKey
name: apı_key | tοken | paѕѕphrase | pass-word | PassWord | pass_phrase | api.key | secretaccesskey | backup_codes
title: Enter PIN | Database password | Root password for the server | Wi-Fi password | Password hint and password
title: Paste token | OpenAI key (API key) | Bearer token | OAuth client secret | Signing secret of the webhook | Recovery codes
title: Two-factor code | Authenticator code | SMS code | Wallet seed phrase | Secret recovery phrase | Debit card number
title: Datenbankpasswort | Einmalpasswort | Geheimer Schlüssel | Code secret | Identifiants de connexion | Carte bancaire
title: Contraseña nueva | Tarjeta de crédito | Código de seguridad | Senha do banco de dados | Cartão de crédito | Password di root
title: Carta di credito | Inloggegevens | Verificatiecode | Hasło do bazy | Пин-код | Токен доступа | Кодовая фраза | 支付密码 | 登录密码
title: 短信验证码 | 新しいパスワード | クレジットカード番号 | 새 비밀번호 | 액세스 토큰 | Yeni şifre | Gizli anahtar | كلمة مرور جديدة | رمز الوصول
description: Supply the root password of the machine | Fill in your card number without spaces | Write down your recovery phrase
description: The API key from your dashboard | Insert your access token below | We require your API secret | Input OTP
description: Ihr persönliches Zugriffstoken | Collez votre jeton d'accès | Escriba el código de verificación que recibió
description: Insira o token de acesso | Incolla la chiave API | Plak hier je API-sleutel | Wklej klucz API | Вставьте токен доступа
description: 请粘贴私钥 | APIキーを入力してください | 인증 코드를 입력해 주세요 | Kart numaranızı girin | اكتب كلمة السر
message: Please type in the passphrase of your SSH key. | I cannot log in; what is the admin password?
message: Kindly reply with the OTP sent to your phone. | Paste a Slack bot token so I can post the summary.
message: Bitte nennen Sie mir Ihr Passwort. | Merci de fournir votre clé privée. | Por favor, indique su contraseña.
`)

export const heldOutHarmless: readonly Phrase[] = read(`
name: tokensPerSecond | contextTokens | tokenPrice | tokenStandard | numTokens | token_ids | passwordRotationDays | requirePassword
name: passwordAttempts | secretsManagerRegion | secretPath | secretCount | keyVaultName | keyspace | keyPrefix | cacheKey | i18nKey
name: idempotencyKey | objectKey | apiKeyLabel | apiKeyOwner | keyframe | donkey | whiskey | jockey | passive | passable | overpass
name: pinball | pinpoint | pinX | mapPin | cardNumberOfDeck | cards | postcard | wildcard | accessDate | accessibility | secretariat
name: dressCode | barcode | qrCode | statusCode | sourceCode | languageCode | authorEmail | authMethod | authProvider | loginName
title: Username | Login name | Nickname | Deadline | Rating | Feedback | Describe the bug | File name | Number of tokens to generate
title: Secret menu item | Secret level name | API key to rotate | Name for the key | Key contact | Key performance indicator
title: Token name and symbol | Password rotation interval (days) | Password reset reason | Foreign key column | Public key URL
title: Card game | Card back color | Verification status | Security level | Safety code of conduct | Dress code | Bar code type
title: Passwortlänge | Passwort-Manager | Schlüsselanhänger | Nom du secret | Politique de mot de passe | Longitud de la contraseña
title: Nome da chave | Nome della chiave API | Naam van de sleutel | Nazwa klucza API | Имя токена | Длина пароля | 密钥名称 | 令牌数量
title: 公钥指纹 | パスワードの長さ | トークン数 | APIキーの名前 | 토큰 개수 | API 키 이름 | Anahtar adı | Token sayısı | اسم المفتاح | عدد الرموز
description: Please do not share passwords in this field. | A name that helps you find the token later.
description: The ID of the key, for example key_123. | Passwords are stored hashed. | When was the certificate issued?
description: Pick the vault that holds the credentials. | Explain why the API key must be revoked. | How long should PINs be?
description: Kein Passwort eingeben! | Ne communiquez pas votre code secret. | Nunca comparta su contraseña. | 不要在此填写密码
message: The password form is ready. Which color should the button have? | What should the API key be called?
message: I found three tokens in the log. Describe how to redact them. | Where is the secret stored?
message: The credit card page loads slowly. What is the target in milliseconds? | Say who owns the signing key.
message: The new password rules are live. Who should be told? | Write the changelog entry about token refresh.
`)

/** One place per line, phrases separated by bars. Hidden characters are written as `\u…`, so that they are visible. */
function read(block: string): readonly Phrase[] {
  return block
    .split('\n')
    .filter((line) => line.includes(': '))
    .flatMap((line) => {
      const [place, phrases] = [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]
      return phrases.split(' | ').map((text) => ({ place: place as CorpusPart, text: text.trim() }))
    })
}
