"""The names of the months in the languages of the web: word to number."""

from __future__ import annotations

# As dates write them (the genitive where a language has one), with the usual abbreviations; a line a month
_NAMES = """
january jan januar jänner jän janvier janv jan enero ene gennaio gen janeiro januari januar января янв січня stycznia styczeń sty ledna ιανουαρίου ιαν ocak oca tammikuuta január ianuarie ian siječnja јануара януари يناير जनवरी มกราคม janúar
february feb februar febr feber février févr fév fevrier febrero febbraio fevereiro fev februari февраля фев февр лютого lutego luty lut února φεβρουαρίου φεβ şubat şub helmikuuta február februarie veljače фебруара февруари فبراير फरवरी กุมภาพันธ์
march mar märz mär mrz mars marzo março marco maart марта мар березня marca marzec března μαρτίου μαρ mart maaliskuuta március martie ožujka марта март مارس मार्च มีนาคม maret
april apr avril avr abril abr aprile april апреля апр квітня kwietnia kwiecień kwi dubna απριλίου απρ nisan nis huhtikuuta április aprilie travnja априла април أبريل ابريل अप्रैल เมษายน
may mai mayo maggio mag maio mei maj maja мая май травня maj května μαΐου μαΐ μαι μάιος mayıs may toukokuuta május mai svibnja маја май مايو मई พฤษภาคม
june jun juni juin junio giugno giu junho juni июня июн червня czerwca czerwiec cze června ιουνίου ιουν haziran haz kesäkuuta június iunie lipnja јуна юни يونيو जून มิถุนายน
july jul juli juillet juil julio luglio lug julho juli июля июл липня lipca lipiec lip července ιουλίου ιουλ temmuz tem heinäkuuta július iulie srpnja јула юли يوليو जुलाई กรกฎาคม
august aug août aout agosto ago agustus augustus augusti августа авг серпня sierpnia sierpień sie srpna αυγούστου αυγ ağustos ağu elokuuta augusztus kolovoza августа август أغسطس अगस्त สิงหาคม
september sep sept septembre septiembre settembre set setembro september сентября сен сент вересня września wrzesień wrz září σεπτεμβρίου σεπ eylül eyl syyskuuta szeptember septembrie rujna септембра септември سبتمبر सितंबर กันยายน
october oct oktober okt octobre octubre ottobre ott outubro out oktober октября окт жовтня października październik paź října οκτωβρίου οκτ ekim eki lokakuuta október octombrie октобра октомври أكتوبر अक्टूबर ตุลาคม
november nov novembre noviembre novembro ноября ноя нояб листопада listopada listopad lis listopadu νοεμβρίου νοε kasım kas marraskuuta noiembrie noi studenoga новембра ноември نوفمبر नवंबर พฤศจิกายน
december dec dezember dez décembre déc decembre diciembre dic dicembre dezembro desember декабря дек грудня grudnia grudzień gru prosince δεκεμβρίου δεκ aralık ara joulukuuta decembrie prosinca децембра декември ديسمبر दिसंबर ธันวาคม
"""

MONTHS = {
    name.casefold(): number
    for number, names in reversed(list(enumerate(_NAMES.strip().splitlines(), 1)))
    for name in names.split()
}
"""Names in lower case. Where two languages call two months alike (Polish and Croatian "listopada") the one with more pages counts."""


def month_of(name: str) -> int:
    """1 to 12, or 0 for a word that names no month."""
    return MONTHS.get(name.casefold().rstrip("."), 0)
