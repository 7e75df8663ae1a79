"""Checks a Writer document with LibreOffice's own LanguageTool client; prints the errors as JSON.

Run by the Python that has LibreOffice's module `uno`: PORT-OF-OFFICE BASE-URL TEXT
"""

import json
import os
import sys
import time

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.lang import Locale

PROOFREADING = 2
"""com.sun.star.text.TextMarkupType.PROOFREADING"""


def connect(port):
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    for _ in range(300):
        try:
            return resolver.resolve(f"uno:socket,host=127.0.0.1,port={port};urp;StarOffice.ComponentContext")
        except uno.getClass("com.sun.star.connection.NoConnectException"):
            time.sleep(0.2)
    sys.exit("LibreOffice did not start")


def configure(context, base):
    provider = context.ServiceManager.createInstanceWithContext(
        "com.sun.star.configuration.ConfigurationProvider", context
    )
    path = PropertyValue(Name="nodepath", Value="/org.openoffice.Office.Linguistic/GrammarChecking/LanguageTool")
    settings = provider.createInstanceWithArguments("com.sun.star.configuration.ConfigurationUpdateAccess", (path,))
    settings.setPropertyValue("BaseURL", base)
    settings.setPropertyValue("IsEnabled", True)
    settings.commitChanges()


def check(context, text):
    manager, english = context.ServiceManager, Locale("en", "US", "")
    desktop = manager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
    hidden = PropertyValue(Name="Hidden", Value=True)
    document = desktop.loadComponentFromURL("private:factory/swriter", "_blank", 0, (hidden,))
    document.CharLocale = english
    document.Text.String = text
    paragraph = document.getFlatParagraphIterator(PROOFREADING, True).getFirstPara()
    iterator = manager.createInstanceWithContext("com.sun.star.linguistic2.ProofreadingIterator", context)
    found = iterator.checkSentenceAtPosition(document, paragraph, text, english, 0, len(text), -1).aErrors
    errors = [
        (text[error.nErrorStart : error.nErrorStart + error.nErrorLength], error.aSuggestions[0], error.aShortComment)
        for error in found
    ]
    document.close(True)
    desktop.terminate()
    return errors


office = connect(sys.argv[1])
configure(office, sys.argv[2])
sys.stdout.write(json.dumps(check(office, sys.argv[3])))
sys.stdout.flush()
# LibreOffice is closing the connection. If Python takes down its module meanwhile, it may crash.
os._exit(0)
