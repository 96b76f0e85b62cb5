"""Inserts an order and triggers its notification in one transaction, with Django:
python django_shop.py "$URL" ada 42.50
"""
import json
import sys
from urllib.parse import unquote, urlsplit

import django
from django.conf import settings


def database(url):
    parts = urlsplit(url)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.path[1:],
        "USER": unquote(parts.username),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname,
        "PORT": parts.port or 5432,
    }


settings.configure(DATABASES={"default": database(sys.argv[1])})
django.setup()

from django.db import connection, models, transaction  # noqa: E402


class Order(models.Model):
    customer_id = models.TextField()
    total = models.DecimalField(max_digits=12, decimal_places=2)

    class Meta:
        app_label = "shop"
        db_table = "orders"


def place_order(customer, total):
    with transaction.atomic():
        order = Order.objects.create(customer_id=customer, total=total)
        with connection.cursor() as cursor:
            payload = json.dumps({"order": order.id})
            cursor.execute("select tidings.trigger('order-paid', %s, %s)", [customer, payload])
            return cursor.fetchone()[0]


print(place_order(sys.argv[2], sys.argv[3]))
